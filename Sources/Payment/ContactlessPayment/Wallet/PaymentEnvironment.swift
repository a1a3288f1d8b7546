/// The port that decides whether the system allows a payment.
///
/// Called before the cardholder verifies, and again before the card is armed.
public protocol PaymentEnvironment: Sendable {
  /// Returns the obstacle to a payment; nil when a payment is possible.
  func obstacle() -> PaymentObstacle?
  /// Receives the beginning and the end of each tap. There is a default implementation, which does nothing.
  func tapChanged(isRunning: Bool)
}

extension PaymentEnvironment {
  /// Does nothing.
  public func tapChanged(isRunning: Bool) {}
}

/// An obstacle to a payment. Every reason is a sentence that can be shown.
public enum PaymentObstacle: Error, Equatable, Sendable {
  /// The device or this process has been tampered with, or is being monitored.
  case unsafeDevice(String)
  /// The system does not allow any wallet to emulate a card.
  case systemNotEligible(String)
  /// The owner has not allowed this wallet to emulate a card.
  case notPermitted(String)
}

/// An environment without obstacles. On Linux the links report devices that the user may not open.
public struct OpenEnvironment: PaymentEnvironment {
  /// Creates the environment.
  public init() {}

  /// Returns nil.
  public func obstacle() -> PaymentObstacle? { nil }
}
