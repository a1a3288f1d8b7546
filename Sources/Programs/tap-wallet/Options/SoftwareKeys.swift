#if DebugFlavour
  import DeviceAuthentication
  import DeviceFile
  import MobileAuthentication
  import Octets

  /// The keys of a device, with keys in a file for a device that has no lock or no key store. The file contains the keys in
  /// clear. Only the debug flavour has it.
  struct SoftwareKeys: ProtectedKeyStore {
    let device: any ProtectedKeyStore
    private let software: any ProtectedKeyStore

    /// Opens the file, or creates it.
    ///
    /// - Parameter path: The path of the file, in a directory that exists.
    init(beside device: any ProtectedKeyStore, path: String) throws(StoredDeviceError) {
      let file = try StoredDevice(path: path, signing: P256Signing())
      // The file protects nothing: its passcode only lets it create keys.
      try file.apply([.setPasscode])
      self.device = device
      software = file.ports.keys
    }

    /// Creates a key on the device, or in the file where the device has no lock or no key store.
    func create(
      _ kind: ProtectedKeyKind, counting: Bool
    ) async throws(DeviceAuthenticationError) -> KeyIdentifier {
      do throws(DeviceAuthenticationError) {
        return try await device.create(kind, counting: counting)
      } catch .passcodeNotSet, .unavailable {
        return try await software.create(kind, counting: counting)
      }
    }

    func access(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> KeyAccess {
      try await store(of: key).access(key)
    }

    func unseal(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> Secret {
      try await store(of: key).unseal(key)
    }

    func publicKey(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
      try await store(of: key).publicKey(of: key)
    }

    func sign(_ digest: [UInt8], with key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
      try await store(of: key).sign(digest, with: key)
    }

    func delete(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) {
      try await store(of: key).delete(key)
    }

    func counter(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> UInt64? {
      try await store(of: key).counter(of: key)
    }

    func advanceCounter(
      of key: KeyIdentifier, from value: UInt64
    ) async throws(DeviceAuthenticationError) -> CounterStep? {
      try await store(of: key).advanceCounter(of: key, from: value)
    }

    func note(named name: String) async throws(DeviceAuthenticationError) -> [UInt8]? {
      do throws(DeviceAuthenticationError) {
        return try await device.note(named: name)
      } catch .unavailable {
        return try await software.note(named: name)
      }
    }

    func keep(
      _ note: [UInt8], named name: String, replacing former: [UInt8]?
    ) async throws(DeviceAuthenticationError) -> [UInt8]? {
      do throws(DeviceAuthenticationError) {
        return try await device.keep(note, named: name, replacing: former)
      } catch .unavailable {
        return try await software.keep(note, named: name, replacing: former)
      }
    }

    /// The store that created a key: the file recognises its own keys by their identifiers.
    private func store(of key: KeyIdentifier) async -> any ProtectedKeyStore {
      (try? await software.access(key)) == nil ? device : software
    }
  }

  extension AuthenticationDevice {
    /// The same device, which also accepts software keys.
    func acceptingSoftwareKeys(in directory: String) throws(StoredDeviceError) -> AuthenticationDevice {
      let keys = try SoftwareKeys(beside: ports.keys, path: directory + "/software-keys")
      return with(
        DevicePorts(biometric: ports.biometric, passcode: ports.passcode, lock: ports.lock, keys: keys))
    }
  }
#endif
