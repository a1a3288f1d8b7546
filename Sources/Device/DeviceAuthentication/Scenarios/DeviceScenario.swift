public import Octets

/// The effect of a change of the device's unlock method on a wallet: one row of the published tables "Device unlock
/// method update scenarios" for the policies `.biometricOnly` (5 rows) and `.userPresence` (6 rows).
public struct DeviceScenario: Sendable {
  /// The result of the next verification of a person who approves.
  public enum Outcome: Equatable, Sendable {
    /// The person is recognised by this method.
    case noAction(VerificationMethod)
    /// The key is invalid: the wallet removes its data and must be set up again.
    case authenticationKeyInvalidated
    /// Biometrics are required and not enrolled; key and data stay.
    case biometricNotEnrolled
  }

  /// The title of the row.
  public let title: String
  /// The wallet's policy.
  public let policy: CardholderVerificationPolicy
  /// The changes before the wallet is set up.
  public let setUp: [DeviceChange]
  /// The changes after it.
  public let changes: [DeviceChange]
  /// The result of the next verification.
  public let outcome: Outcome

  /// Creates a row.
  public init(
    _ title: String, _ policy: CardholderVerificationPolicy, from setUp: [DeviceChange], _ changes: [DeviceChange],
    _ outcome: Outcome
  ) {
    self.title = title
    self.policy = policy
    self.setUp = setUp
    self.changes = changes
    self.outcome = outcome
  }

  /// Runs the row on a device without a lock, enrolments or keys. Returns the result of the verification.
  ///
  /// - Throws: Errors that are not outcomes of a row, and errors of the device.
  public func outcome(
    on device: some ScenarioDevice, clock: any MonotonicClock
  ) async throws(DeviceAuthenticationError) -> Outcome {
    try await device.setUser(.approve)
    for change in setUp { try await device.apply(change) }
    let unbound = CardholderVerifier(policy: policy, ports: device.ports, clock: clock)
    let verifier = unbound.bound(to: try await unbound.enrolKey())
    for change in changes { try await device.apply(change) }
    do throws(DeviceAuthenticationError) {
      return .noAction(try await verifier.verify(nonce: [0]).method)
    } catch .authenticationKeyInvalidated {
      return .authenticationKeyInvalidated
    } catch .biometricNotEnrolled {
      return .biometricNotEnrolled
    }
  }
}

extension DeviceScenario: CustomStringConvertible {
  /// The policy and the title.
  public var description: String { "\(policy.rawValue): \(title)" }
}
