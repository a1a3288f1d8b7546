#if LinuxDevice
  internal import DeviceAuthentication
  internal import Octets

  extension TPMKeys {
    /// The most keys with a counter of one user.
    static let counterLimit = 16

    /// Creates a key, with a counter of its own where it needs one, and writes its file. After an error neither remains.
    func create(
      _ kind: ProtectedKeyKind, counting: Bool, _ key: KeyIdentifier, under epoch: LockEpoch, _ random: any RandomSource
    ) throws(DeviceAuthenticationError) {
      try checkLimits(counting: counting)
      try checkTPM()
      let counter = try Result { () throws(TPMError) in counting ? try newCounter(random) : nil }
        .mapError(\.deviceError).get()
      guard counter != nil || !counting else {
        throw Self.limit("the TPM of this machine has no space for a further counter")
      }
      try discarding(counter) { () throws(DeviceAuthenticationError) in
        let file = try Result { () throws(TPMError) in try newKey(kind, epoch, counter, random) }
          .mapError(\.deviceError).get()
        if let counter { try directory.write(count: counter.first, of: key) }
        try directory.write(file.octets, of: key)
      }
    }

    private func checkLimits(counting: Bool) throws(DeviceAuthenticationError) {
      let keys = try directory.list()
      guard keys.count < ListedKey.limit else {
        throw .unavailable(
          reason: """
            this user has \(keys.count) keys, and the limit is \(ListedKey.limit): list them with tap device keys list, and \
            delete those of wallets that were removed
            """)
      }
      let counters = keys.count(where: \.isCounting)
      guard counting, counters >= Self.counterLimit else { return }
      throw Self.limit("this user has \(counters) keys with a counter, and the limit is \(Self.counterLimit)")
    }

    private static func limit(_ text: String) -> DeviceAuthenticationError {
      .unavailable(
        reason: """
          \(text): delete keys of wallets that were removed (tap device keys list), or use \
          --without-rollback-protection
          """)
    }

    /// Deletes a new counter when a later step of the creation fails.
    private func discarding(
      _ counter: TPMKeyFile.Counter?, after step: () throws(DeviceAuthenticationError) -> Void
    ) throws(DeviceAuthenticationError) {
      do throws(DeviceAuthenticationError) {
        try step()
      } catch {
        if let counter { try? tpm.deleteCounter(counter.index) }
        throw error
      }
    }

    private func newKey(
      _ kind: ProtectedKeyKind, _ epoch: LockEpoch, _ counter: TPMKeyFile.Counter?, _ random: any RandomSource
    ) throws(TPMError) -> TPMKeyFile {
      let policy = TPMKeyFile.policy(epochIndex: settings.epochIndex, epoch: epoch, counter: counter)
      let template = TPMTemplates.key(kind, policy: try tpm.policyDigest(policy))
      let blob = try tpm.withPrimary { (primary) throws(TPMError) in
        switch kind {
        case .signing: return try tpm.create(template, sealing: nil, below: primary)
        case .sealing:
          var octets = random.octets(32)
          let secret = Secret(wiping: &octets)
          return try tpm.create(template, sealing: secret, below: primary)
        }
      }
      return TPMKeyFile(
        kind: kind, epoch: epoch, counter: counter, publicArea: blob.publicArea, privateArea: blob.privateArea)
    }

    /// Defines the counter of a key in the first free index.
    ///
    /// - Returns: nil when the TPM has no space for a further counter; a chip has space for few.
    private func newCounter(_ random: any RandomSource) throws(TPMError) -> TPMKeyFile.Counter? {
      for index in settings.counterIndices {
        do throws(TPMError) {
          try tpm.defineCounter(index, mark: random.octets(32))
        } catch {
          if error.code.kind == .alreadyDefined { continue }
          if error.code.kind == .noSpace { return nil }
          throw error
        }
        return TPMKeyFile.Counter(
          index: index, first: try tpm.counter(index), name: try tpm.definition(index).name)
      }
      return nil
    }

    /// Deletes a key: first its counter, after which no copy of its file works, then the file.
    func delete(_ key: KeyIdentifier) throws(DeviceAuthenticationError) {
      guard let octets = try directory.read(key) else { return }
      if let counter = TPMKeyFile(octets)?.counter {
        do throws(TPMError) {
          // A file can be a copy of an older one, whose index now belongs to another key.
          if try tpm.definition(counter.index).name == counter.name { try tpm.deleteCounter(counter.index) }
        } catch {
          guard error.code.kind == .noSuchHandle else { throw error.deviceError }
        }
      }
      try directory.remove(key)
    }

    /// Returns the counter of a key. Nil when the key has no counter.
    func counter(of key: KeyIdentifier) throws(DeviceAuthenticationError) -> UInt64? {
      try withCounter(of: key) { (index) throws(TPMError) in try tpm.counter(index) }
    }

    /// Raises the counter of a key by 1 if it has a value. Nil when the key has no counter. The caller holds the lock of the
    /// directory.
    func advanceCounter(of key: KeyIdentifier, from value: UInt64) throws(DeviceAuthenticationError) -> CounterStep? {
      guard let present = try counter(of: key) else { return nil }
      guard present == value else { return .differed(present: present) }
      // Before the step: a counter that is higher was raised by another program.
      try directory.write(count: value + 1, of: key)
      return try withCounter(of: key) { (index) throws(TPMError) in
        try tpm.raiseCounter(index)
        // A program that uses the TPM without this directory could have raised it too.
        let raised = try tpm.counter(index)
        return raised == value + 1 ? .raised : .differed(present: raised)
      }
    }

    /// Lends the index of a key's counter. Returns nil when the key has no counter.
    private func withCounter<Value>(
      of key: KeyIdentifier, _ body: (UInt32) throws(TPMError) -> Value
    ) throws(DeviceAuthenticationError) -> Value? {
      guard let counter = try file(key).counter else { return nil }
      do throws(TPMError) {
        guard try tpm.definition(counter.index).name == counter.name else {
          throw TPMError("TPM2_NV_ReadPublic", .noSuchHandle)
        }
        return try body(counter.index)
      } catch {
        if error.code.kind == .noSuchHandle {
          throw .authenticationKeyInvalidated(isOfOtherTPM() ? .otherDevice : .keyGone)
        }
        throw error.deviceError
      }
    }
  }
#endif
