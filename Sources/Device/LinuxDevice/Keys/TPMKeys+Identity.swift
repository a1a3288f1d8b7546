#if LinuxDevice
  internal import DeviceAuthentication

  /// Which TPM has the keys of a directory: the public part of a key that each TPM computes from its endorsement seed, which
  /// stays when the TPM is cleared.
  extension TPMKeys {
    private static let name = "tpm"

    /// Checks before the creation of a key that the other keys of the directory are in this TPM. The first call stores
    /// which TPM it is.
    ///
    /// - Throws: `.unavailable` for another TPM.
    func checkTPM() throws(DeviceAuthenticationError) {
      let present = try Result { () throws(TPMError) in try tpm.endorsementKey() }.mapError(\.deviceError).get()
      guard let stored = try directory.read(Self.name) else { return try directory.write(present, named: Self.name) }
      guard stored == present else {
        throw .unavailable(
          reason: "the keys in \(directory.path) are in another TPM: move the directory away to create keys in this one"
        )
      }
    }

    /// Stores which TPM has the keys of a directory of an older version, after one of them has worked.
    func noteTPM() {
      do {
        guard try directory.read(Self.name) == nil else { return }
        try directory.write(tpm.endorsementKey(), named: Self.name)
      } catch {
        // The next use tries again.
      }
    }

    /// Whether the directory belongs to another TPM than this one. False when that is not known.
    func isOfOtherTPM() -> Bool {
      guard let stored = try? directory.read(Self.name), let present = try? tpm.endorsementKey() else { return false }
      return stored != present
    }
  }
#endif
