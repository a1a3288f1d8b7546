/// The port to what surrounds a payment: whether this system, this program and this moment allow one.
///
/// Asked before the holder is, and again before the card is armed.
public protocol PaymentEnvironment: Sendable {
  /// What stands in the way; nil when nothing does.
  func obstacle() -> PaymentObstacle?
}

/// What stands in the way of a payment. Every reason is a sentence that can be shown.
public enum PaymentObstacle: Error, Equatable, Sendable {
  /// The device or this process has been tampered with, or is being watched.
  case unsafeDevice(String)
  /// The system does not let any wallet emulate a card here.
  case systemNotEligible(String)
  /// The owner has not allowed this wallet to emulate a card.
  case notPermitted(String)
}

/// An environment in which nothing stands in the way. On Linux the links themselves tell what a user may not open.
public struct OpenEnvironment: PaymentEnvironment {
  /// Creates the environment.
  public init() {}

  /// Nothing.
  public func obstacle() -> PaymentObstacle? { nil }
}
