import DeviceAuthentication
import Octets
import Synchronization
import Testing

/// A device as a person sets it up before a wallet is.
func device(
  _ changes: [DeviceChange] = [.setPasscode, .enrolBiometric], hardware: SimulatedDevice.Hardware = .phone,
  user: SimulatedUser = .approve
) -> SimulatedDevice {
  let device = SimulatedDevice(hardware: hardware, user: user)
  for change in changes { device.apply(change) }
  return device
}

extension CardholderVerifier {
  /// The way in which the cardholder verified, or the error: what most tables compare.
  func result(nonce: [UInt8] = [1, 2, 3]) async -> Result<VerificationMethod, DeviceAuthenticationError> {
    do throws(DeviceAuthenticationError) {
      return .success(try await verify(nonce: nonce).method)
    } catch {
      return .failure(error)
    }
  }
}

/// What the closure throws; nil when it throws nothing.
func thrown<Value>(
  _ body: () async throws(DeviceAuthenticationError) -> Value
) async -> DeviceAuthenticationError? {
  do throws(DeviceAuthenticationError) {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}

/// Lets other tasks run until something has happened; suites that use it have a time limit.
func until(_ hasHappened: () -> Bool) async {
  while !hasHappened(), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
}

extension DeviceAuthenticationError {
  /// The case without its sentence.
  var kind: String { String("\(Mirror(reflecting: self).children.first?.label ?? String(reflecting: self))") }
}

/// A sensor that says what a test wants, when it wants.
struct StubSensor: BiometricVerifier {
  var state: @Sendable () throws(DeviceAuthenticationError) -> BiometricEnrolment = {
    () throws(DeviceAuthenticationError) in .enrolled
  }
  let answer: @Sendable () async throws(DeviceAuthenticationError) -> BiometricResult

  func enrolment() async throws(DeviceAuthenticationError) -> BiometricEnrolment { try state() }

  func verify(prompt: String, offeringPasscode: Bool) async throws(DeviceAuthenticationError) -> BiometricResult {
    try await answer()
  }
}

extension DevicePorts {
  /// The same ports with another sensor.
  func with(_ sensor: any BiometricVerifier) -> DevicePorts {
    DevicePorts(biometric: sensor, passcode: passcode, lock: lock, key: key)
  }
}

/// Tells that something has happened once.
final class Mailbox: Sendable {
  private let full = Atomic(false)
  var isFull: Bool { full.load(ordering: .acquiring) }
  func put() { full.store(true, ordering: .releasing) }
}
