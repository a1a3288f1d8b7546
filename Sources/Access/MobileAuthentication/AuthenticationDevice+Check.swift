internal import DeviceAuthentication
internal import POSIX

extension AuthenticationDevice {
  /// Checks what every operation needs, in the order in which its errors are reported.
  ///
  /// - Throws: `.hardware`, `.deviceProtection` or `.noDeviceLock`. The debug flavour accepts all three.
  public func check() async throws(OperationError) {
    guard Flavour.present == .release else { return }
    guard protection != .software else { throw .hardware }
    if let integrity {
      let findings = await blocking { integrity.findings() }
      guard findings.isEmpty else { throw .deviceProtection(findings) }
    }
    let isLocked = try await converting(OperationError.init) { () async throws(DeviceAuthenticationError) in
      try await ports.lock.isSet()
    }
    guard isLocked else { throw .noDeviceLock }
  }
}
