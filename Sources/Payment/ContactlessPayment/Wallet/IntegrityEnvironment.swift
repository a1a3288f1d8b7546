public import DeviceAuthentication

/// An environment that allows no payment while the device's integrity checks find a sign of tampering.
public struct IntegrityEnvironment: PaymentEnvironment {
  private let integrity: any DeviceIntegrity
  private let base: any PaymentEnvironment

  /// Creates the environment.
  ///
  /// - Parameters:
  ///   - integrity: The checks, which run before every verification and again before the card is armed.
  ///   - base: The environment that is asked when the checks find nothing.
  public init(_ integrity: any DeviceIntegrity, base: any PaymentEnvironment = OpenEnvironment()) {
    self.integrity = integrity
    self.base = base
  }

  /// Returns `.unsafeDevice` with every finding, or the obstacle of the base.
  public func obstacle() -> PaymentObstacle? {
    let findings = integrity.findings()
    guard findings.isEmpty else { return .unsafeDevice(findings.map(\.description).joined(separator: "; ")) }
    return base.obstacle()
  }

  /// Forbids checks during a tap.
  public func tapChanged(isRunning: Bool) {
    integrity.tapChanged(isRunning: isRunning)
    base.tapChanged(isRunning: isRunning)
  }
}
