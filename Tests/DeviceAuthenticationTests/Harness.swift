import DeviceAuthentication
import Octets
import Synchronization
import TestSupport
import Testing

/// Returns a device that is set up for a wallet.
func device(
  _ changes: [DeviceChange] = [.setPasscode, .enrolBiometric], hardware: SimulatedDevice.Hardware = .phone,
  user: SimulatedUser = .approve
) -> SimulatedDevice {
  let device = SimulatedDevice(hardware: hardware, user: user, signing: ToySigning())
  for change in changes { device.apply(change) }
  return device
}

extension CardholderVerifier {
  /// Creates a key and returns a verifier that is bound to it.
  func enrolled() async throws(DeviceAuthenticationError) -> CardholderVerifier {
    bound(to: try await enrolKey())
  }

  /// Verifies and returns the method or the error.
  func result(nonce: [UInt8] = [1, 2, 3]) async -> Result<VerificationMethod, DeviceAuthenticationError> {
    do throws(DeviceAuthenticationError) {
      return .success(try await verify(nonce: nonce).method)
    } catch {
      return .failure(error)
    }
  }
}

/// A sensor with results chosen by a test.
struct StubSensor: BiometricVerifier {
  var state: @Sendable () throws(DeviceAuthenticationError) -> BiometricEnrolment = {
    () throws(DeviceAuthenticationError) in .enrolled()
  }
  let answer: @Sendable () async throws(DeviceAuthenticationError) -> BiometricResult

  func enrolment() async throws(DeviceAuthenticationError) -> BiometricEnrolment { try state() }

  func verify(prompt: String, offeringPasscode: Bool) async throws(DeviceAuthenticationError) -> BiometricResult {
    try await answer()
  }
}

extension DevicePorts {
  /// Returns the same ports with another sensor.
  func with(_ sensor: any BiometricVerifier) -> DevicePorts {
    DevicePorts(biometric: sensor, passcode: passcode, lock: lock, keys: keys)
  }
}

/// A flag that is raised once.
final class Flag: Sendable {
  private let state = Atomic(false)
  var isRaised: Bool { state.load(ordering: .acquiring) }
  func raise() { state.store(true, ordering: .releasing) }
}
