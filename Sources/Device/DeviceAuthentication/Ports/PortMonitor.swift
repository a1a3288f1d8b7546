internal import Dispatch
internal import Octets
internal import Synchronization

/// The monitor of a device that has none of its own: each reading accesses the key and reads the enrolment through the
/// ports, in a task.
package struct PortMonitor: DeviceMonitor {
  let biometric: any BiometricVerifier
  let keys: any ProtectedKeyStore

  package init(biometric: any BiometricVerifier, keys: any ProtectedKeyStore) {
    (self.biometric, self.keys) = (biometric, keys)
  }

  package var mayBlock: Bool { true }

  package func status(
    of key: KeyIdentifier, needsEnrolment: Bool
  ) throws(DeviceAuthenticationError) -> DeviceCondition {
    try DeviceCondition.waiting { () async throws(DeviceAuthenticationError) in
      guard try await keys.access(key) == .usable else { return .keyLost }
      guard needsEnrolment, case .notEnrolled = try await biometric.enrolment().state else { return .usable }
      return .nothingEnrolled
    }
  }
}

extension DeviceCondition {
  /// Performs a reading in a task and waits for it. Blocks for `limit` at most.
  package static func waiting(
    for reading: @escaping @Sendable () async throws(DeviceAuthenticationError) -> DeviceCondition
  ) throws(DeviceAuthenticationError) -> DeviceCondition {
    let answer = Answer()
    let task = Task.detached {
      do throws(DeviceAuthenticationError) {
        answer.set(.success(try await reading()))
      } catch { answer.set(.failure(error)) }
    }
    guard let result = answer.wait() else {
      task.cancel()
      throw .unavailable(reason: "the device did not answer within \(limit.components.seconds) s")
    }
    return try result.get()
  }
}

/// The result of a reading, set once by its task.
private final class Answer: Sendable {
  private let result = Mutex<Result<DeviceCondition, DeviceAuthenticationError>?>(nil)
  private let isSet = DispatchSemaphore(value: 0)

  func set(_ value: Result<DeviceCondition, DeviceAuthenticationError>) {
    result.withLock { $0 = value }
    isSet.signal()
  }

  /// Blocks until the result is set; nil after `DeviceCondition.limit`.
  func wait() -> Result<DeviceCondition, DeviceAuthenticationError>? {
    _ = isSet.wait(timeout: .now() + .nanoseconds(Int(DeviceCondition.limit.nanoseconds)))
    return result.withLock { $0 }
  }
}
