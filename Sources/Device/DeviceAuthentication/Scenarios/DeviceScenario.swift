public import Octets

/// What a change of the device's unlock method does to a wallet: one row of the published tables for the policies
/// `.biometricOnly` (5 rows) and `.userPresence` (6 rows), "Device unlock method update scenarios".
public struct DeviceScenario: Sendable {
  /// What the next verification of a person who approves comes to. There is no fourth end.
  public enum Outcome: Equatable, Sendable {
    /// Nothing to do: the person verifies, in this way.
    case noAction(VerificationMethod)
    /// The key is invalid: the wallet wipes its data and is set up again.
    case authenticationKeyInvalidated
    /// Biometrics are needed and gone; key and data stay.
    case biometricNotEnrolled
  }

  /// The row, in words.
  public let title: String
  /// The wallet's policy.
  public let policy: CardholderVerificationPolicy
  /// How the device comes to the state in which the wallet is set up.
  public let setUp: [DeviceChange]
  /// What the person changes afterwards.
  public let changes: [DeviceChange]
  /// What the next verification comes to.
  public let outcome: Outcome

  /// Writes a row.
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

  /// Plays the row on a device that is as new, and tells what the next verification came to.
  ///
  /// - Throws: Any error that no row can end with, and those of the device itself.
  public func outcome(
    on device: some ScenarioDevice, clock: any MonotonicClock
  ) async throws(DeviceAuthenticationError) -> Outcome {
    try await device.seat(.approve)
    for change in setUp { try await device.apply(change) }
    let verifier = CardholderVerifier(policy: policy, ports: device.ports, clock: clock)
    try await verifier.enrolKey()
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
  /// Policy and row.
  public var description: String { "\(policy.rawValue): \(title)" }
}
