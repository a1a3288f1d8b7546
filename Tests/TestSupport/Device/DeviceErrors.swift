public import DeviceAuthentication

/// Returns the error of a closure; nil without an error.
public func thrown<Value>(
  _ body: () async throws(DeviceAuthenticationError) -> Value
) async -> DeviceAuthenticationError? {
  do throws(DeviceAuthenticationError) {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}

/// Waits until a condition holds or the task is cancelled. Suites that use it have a time limit.
public func until(_ condition: () -> Bool) async {
  while !condition(), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
}

extension DeviceAuthenticationError {
  /// The name of the case.
  public var kind: String { String("\(Mirror(reflecting: self).children.first?.label ?? String(reflecting: self))") }
}
