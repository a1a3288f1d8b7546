#if LinuxDevice
  internal import DeviceAuthentication
  internal import Octets

  /// The keys of one store while its directory and its TPM are open.
  struct TPMKeys: ~Copyable {
    let tpm: TPMConnection
    let settings: TPMSettings
    let directory: KeyDirectory
    let watch: CallWatch

    init(
      _ settings: TPMSettings, _ directory: KeyDirectory, _ watch: CallWatch
    ) throws(DeviceAuthenticationError) {
      self.settings = settings
      self.directory = directory
      self.watch = watch
      do throws(TPMError) {
        tpm = try TPMConnection(settings, watch)
      } catch {
        throw error.deviceError
      }
    }

    /// Uses a key and drops the result.
    func use(_ key: KeyIdentifier, _ random: any RandomSource) throws(DeviceAuthenticationError) {
      switch try file(key).kind {
      case .sealing: _ = try unseal(key)
      case .signing: _ = try sign(random.octets(32), with: key)
      }
    }

    /// Returns the bytes of a sealing key, in a class because the result of a thread is copyable.
    func unseal(_ key: KeyIdentifier) throws(DeviceAuthenticationError) -> SharedSecret {
      try withKey(key, .sealing) { (tpm, handle, session) throws(TPMError) in
        SharedSecret(try tpm.unseal(handle, in: session, count: 32))
      }
    }

    func sign(_ digest: [UInt8], with key: KeyIdentifier) throws(DeviceAuthenticationError) -> [UInt8] {
      try withKey(key, .signing) { (tpm, handle, session) throws(TPMError) in
        try tpm.sign(digest, with: handle, in: session)
      }
    }

    /// The TPM checks the public key when it loads the key; the file alone could be another one's.
    func publicKey(of key: KeyIdentifier) throws(DeviceAuthenticationError) -> [UInt8] {
      let file = try file(key, .signing)
      try withKey(key, .signing) { (_, _, _) throws(TPMError) in }
      guard let point = TPMTemplates.point(of: file.publicArea) else { throw .authenticationKeyInvalidated(.keyGone) }
      return point
    }

    /// Lends a key with a session that meets its policy.
    private func withKey<Value>(
      _ key: KeyIdentifier, _ kind: ProtectedKeyKind,
      _ body: (borrowing TPMConnection, UInt32, UInt32) throws(TPMError) -> Value
    ) throws(DeviceAuthenticationError) -> Value {
      let file = try file(key, kind)
      let blob = TPMBlob(publicArea: file.publicArea, privateArea: file.privateArea)
      let policy = file.policy(epochIndex: settings.epochIndex)
      do throws(TPMError) {
        let value = try tpm.withPrimary { (primary) throws(TPMError) in
          try tpm.withKey(blob, below: primary) { (handle) throws(TPMError) in
            try tpm.withPolicySession(policy, salt: primary) { (session) throws(TPMError) in
              try body(tpm, handle, session)
            }
          }
        }
        noteTPM()
        return value
      } catch {
        throw keyError(error, file)
      }
    }

    private func keyError(_ error: TPMError, _ file: TPMKeyFile) -> DeviceAuthenticationError {
      let present = (try? tpm.counter(settings.epochIndex)).map(LockEpoch.init(rawValue:))
      if let reason = error.invalidation(of: file.epoch, presentEpoch: present) {
        if reason == .keyGone, isOfOtherTPM() { return .authenticationKeyInvalidated(.otherDevice) }
        return .authenticationKeyInvalidated(reason)
      }
      return error.deviceError
    }

    /// Reads the file of a key. A file that is damaged is a key that is lost.
    func file(_ key: KeyIdentifier) throws(DeviceAuthenticationError) -> TPMKeyFile {
      guard let octets = try directory.read(key) else {
        try directory.checkOwn(key)
        throw .authenticationKeyMissing
      }
      guard octets.count <= TPMKeyFile.longest, let file = TPMKeyFile(octets) else {
        throw .authenticationKeyInvalidated(.keyGone)
      }
      return file
    }

    private func file(
      _ key: KeyIdentifier, _ kind: ProtectedKeyKind
    ) throws(DeviceAuthenticationError) -> TPMKeyFile {
      let file = try file(key)
      guard file.kind == kind else {
        throw .unavailable(reason: "the key is a \(file.kind) key, and a \(kind) key is needed")
      }
      return file
    }
  }
#endif
