package import DeviceAuthentication

/// The port to the counter of removals of the device lock. A counter of the TPM only rises, whatever happens to the files
/// of this machine.
package protocol LockEpochCounter: Sendable {
  /// Returns the present epoch.
  ///
  /// - Throws: `.busy` or `.unavailable` when the counter cannot be read.
  func value() async throws(DeviceAuthenticationError) -> LockEpoch

  /// Raises the epoch by one and returns the new one.
  ///
  /// - Throws: `.busy` or `.unavailable`; the epoch may be raised or not then.
  func increment() async throws(DeviceAuthenticationError) -> LockEpoch
}
