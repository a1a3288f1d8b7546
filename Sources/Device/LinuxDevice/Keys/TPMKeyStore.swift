#if LinuxDevice
  package import DeviceAuthentication
  package import Octets

  /// Keys in a TPM 2.0. Each is bound to the lock epoch of its creation by a policy that the TPM itself checks.
  ///
  /// The keys lie in a directory as blobs that only this TPM reads, and only while the epoch is that of the key. A copy of
  /// the directory brings neither a key of an earlier epoch nor a deleted key back. Each call opens the TPM, uses it on a
  /// thread of its own, and closes it; calls on one directory wait for each other, also between programs.
  ///
  /// A program that can use the TPM and read the directory can use the keys: the TPM does not see the cardholder.
  package struct TPMKeyStore: ProtectedKeyStore {
    private let settings: TPMSettings
    private let directory: KeyDirectory
    private let lock: any DeviceLock
    private let random: any RandomSource

    /// Creates a store. Nothing is opened yet.
    ///
    /// - Parameters:
    ///   - settings: The TPM.
    ///   - directory: The path of a directory for this store only; it is created at the first use, with mode 0700.
    ///   - lock: The lock to whose removals the keys are bound. Each removal must raise the counter of `TPMLockEpoch`.
    ///   - random: The source of the bytes of sealing keys and of identifiers.
    package init(
      settings: TPMSettings, directory: String, lock: any DeviceLock, random: any RandomSource = SystemRandomSource()
    ) {
      self.settings = settings
      self.directory = KeyDirectory(path: directory)
      self.lock = lock
      self.random = random
    }

    /// Creates a key. A user has at most 256 keys, and at most 16 keys with a counter.
    package func create(
      _ kind: ProtectedKeyKind, counting: Bool
    ) async throws(DeviceAuthenticationError) -> KeyIdentifier {
      // The epoch is read first: a removal after the check of the lock raises it, and the new key is invalid at once.
      let epoch = try await TPMLockEpoch(settings).value()
      guard try await lock.isSet() else { throw .passcodeNotSet }
      return try await using { [random] (keys) throws(DeviceAuthenticationError) in
        let key = try keys.directory.newIdentifier(random)
        try keys.create(kind, counting: counting, key, under: epoch, random)
        // No caller receives the identifier of a key whose creation took too long.
        if keys.watch.hasExpired { try keys.delete(key) }
        return key
      }
    }

    /// Whether the store has the file of a key. Does not use the TPM.
    func isStored(_ key: KeyIdentifier) -> Bool { directory.contains(key) }

    /// Uses the key in the TPM and drops the result. A damaged file is a key that is gone.
    package func access(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> KeyAccess {
      do throws(DeviceAuthenticationError) {
        try await using { (keys) throws(DeviceAuthenticationError) in try keys.use(key, random) }
        return .usable
      } catch {
        switch error {
        case .authenticationKeyMissing: return .missing
        case .authenticationKeyInvalidated(let reason): return .invalidated(reason)
        default: throw error
        }
      }
    }

    /// Returns the 32 bytes of a sealing key. They cross the bus of the chip encrypted.
    package func unseal(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> Secret {
      try await using { (keys) throws(DeviceAuthenticationError) in try keys.unseal(key) }.octets.duplicate()
    }

    /// Returns the public key after the TPM has checked it and the policy of the key.
    package func publicKey(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
      try await using { (keys) throws(DeviceAuthenticationError) in try keys.publicKey(of: key) }
    }

    /// Signs a digest in the TPM.
    package func sign(
      _ digest: [UInt8], with key: KeyIdentifier
    ) async throws(DeviceAuthenticationError) -> [UInt8] {
      guard digest.count == 32 else { throw .unavailable(reason: "a digest has 32 bytes, not \(digest.count)") }
      return try await using { (keys) throws(DeviceAuthenticationError) in try keys.sign(digest, with: key) }
    }

    /// Deletes the counter of the key, after which no copy of its file works, and then its file.
    package func delete(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) {
      try await using { (keys) throws(DeviceAuthenticationError) in try keys.delete(key) }
    }

    /// Lists the keys by their files, without the TPM.
    package func list() async throws(DeviceAuthenticationError) -> [ListedKey] {
      try await inDirectory { (directory) throws(DeviceAuthenticationError) in try directory.list() }
    }

    /// Returns a note from its file, without the TPM.
    package func note(named name: String) async throws(DeviceAuthenticationError) -> [UInt8]? {
      try DeviceNote.check(name)
      return try await inDirectory { (directory) throws(DeviceAuthenticationError) in try directory.note(named: name) }
    }

    /// Keeps a note in a file, without the TPM. The lock of the directory makes one step of the comparison and the change.
    package func keep(
      _ note: [UInt8], named name: String, replacing former: [UInt8]?
    ) async throws(DeviceAuthenticationError) -> [UInt8]? {
      try DeviceNote.check(name, note)
      return try await inDirectory { (directory) throws(DeviceAuthenticationError) in
        try directory.keep(note, named: name, replacing: former)
      }
    }

    private func inDirectory<Value: Sendable>(
      _ body: @escaping @Sendable (KeyDirectory) throws(DeviceAuthenticationError) -> Value
    ) async throws(DeviceAuthenticationError) -> Value {
      let (directory, limit) = (directory, settings.creationLimit)
      return try await onOwnThread(waitingFor: "the key directory") { () throws(DeviceAuthenticationError) in
        try directory.exclusively(within: limit) { () throws(DeviceAuthenticationError) in try body(directory) }
      }
    }

    /// Returns the counter of the key in the TPM; nil for a key that was created without one.
    package func counter(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> UInt64? {
      try await using { (keys) throws(DeviceAuthenticationError) in try keys.counter(of: key) }
    }

    /// Raises the counter of the key in the TPM by 1 if it has a value. TPM2_NV_Increment does not compare, so the lock of
    /// the directory makes one step of the comparison and the increment.
    package func advanceCounter(
      of key: KeyIdentifier, from value: UInt64
    ) async throws(DeviceAuthenticationError) -> CounterStep? {
      try await using { (keys) throws(DeviceAuthenticationError) in try keys.advanceCounter(of: key, from: value) }
    }

    private func using<Value: Sendable>(
      _ body: @escaping @Sendable (borrowing TPMKeys) throws(DeviceAuthenticationError) -> Value
    ) async throws(DeviceAuthenticationError) -> Value {
      let watch = CallWatch(settings.clock)
      return try await onOwnThread(
        waitingFor: "the TPM", watch
      ) { [settings, directory] () throws(DeviceAuthenticationError) in
        try directory.exclusively(within: settings.creationLimit) { () throws(DeviceAuthenticationError) in
          try body(try TPMKeys(settings, directory, watch))
        }
      }
    }
  }
#endif
