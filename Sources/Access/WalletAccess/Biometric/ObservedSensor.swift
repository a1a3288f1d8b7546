internal import DeviceAuthentication
internal import Synchronization

/// A sensor that remembers its last result: the rules of biometric login lead to the PIN for several results, and the user is
/// told which one it was.
final class ObservedSensor: BiometricVerifier {
  private let sensor: any BiometricVerifier
  private let last = Mutex<BiometricResult?>(nil)

  /// Observes a sensor.
  init(_ sensor: any BiometricVerifier) { self.sensor = sensor }

  /// Whether the sensor refused its last prompt because it is locked.
  var isLocked: Bool { last.withLock(\.self) == .lockedOut }

  func enrolment() async throws(DeviceAuthenticationError) -> BiometricEnrolment { try await sensor.enrolment() }

  func verify(prompt: String, offeringPasscode: Bool) async throws(DeviceAuthenticationError) -> BiometricResult {
    let result = try await sensor.verify(prompt: prompt, offeringPasscode: offeringPasscode)
    last.withLock { $0 = result }
    return result
  }
}
