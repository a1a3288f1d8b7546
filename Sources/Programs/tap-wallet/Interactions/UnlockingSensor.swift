import DeviceAuthentication
import JSON
import MobileAuthentication
import ProgramSupport

/// A sensor that the passcode of the device unlocks when it is locked after too many attempts, whereupon it asks again.
///
/// For payments and authenticators whose rules accept biometrics only: their rules stay, since the passcode verifies nothing
/// by itself. A verification that accepts the passcode goes on with it as before.
struct UnlockingSensor: BiometricVerifier {
  let sensor: any BiometricVerifier
  let passcode: any PasscodeVerifier
  let output: EventOutput

  func enrolment() async throws(DeviceAuthenticationError) -> BiometricEnrolment { try await sensor.enrolment() }

  func verify(prompt: String, offeringPasscode: Bool) async throws(DeviceAuthenticationError) -> BiometricResult {
    let result = try await sensor.verify(prompt: prompt, offeringPasscode: offeringPasscode)
    guard result == .lockedOut, !offeringPasscode else { return result }
    output.event(
      "sensor", [("locked", true)],
      text: "Too many attempts: the sensor is locked. Enter the passcode of the device to unlock it.")
    guard try await passcode.verify(prompt: "Unlock the sensor with the passcode of this device") == .matched else {
      return .lockedOut
    }
    let kind = try await sensor.enrolment().kind
    output.event("sensor", [("locked", false)], text: "The sensor is unlocked: \(kind.instruction) again.")
    return try await sensor.verify(prompt: prompt, offeringPasscode: false)
  }
}

extension AuthenticationDevice {
  /// The same device, whose sensor the passcode unlocks.
  func unlockingSensor(_ output: EventOutput) -> AuthenticationDevice {
    let sensor = UnlockingSensor(sensor: ports.biometric, passcode: ports.passcode, output: output)
    return with(
      DevicePorts(
        biometric: sensor, passcode: ports.passcode, lock: ports.lock, keys: ports.keys, monitor: ports.monitor))
  }
}
