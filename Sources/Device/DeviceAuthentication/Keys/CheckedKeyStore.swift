package import Octets

/// A store in front of another one that adds something to every use of a key. A key is created, listed and deleted without
/// it, and notes are kept without it.
package protocol CheckedKeyStore: ProtectedKeyStore {
  /// The store that has the keys.
  var base: any ProtectedKeyStore { get }

  /// Performs one use of a key of `base`.
  func checked<Value: ~Copyable>(
    _ use: () async throws(DeviceAuthenticationError) -> Value
  ) async throws(DeviceAuthenticationError) -> Value
}

extension CheckedKeyStore {
  /// Creates a key.
  package func create(
    _ kind: ProtectedKeyKind, counting: Bool
  ) async throws(DeviceAuthenticationError) -> KeyIdentifier { try await base.create(kind, counting: counting) }

  /// Lists the keys.
  package func list() async throws(DeviceAuthenticationError) -> [ListedKey] { try await base.list() }

  /// Reports whether a key works.
  package func access(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> KeyAccess {
    try await checked { () async throws(DeviceAuthenticationError) in try await base.access(key) }
  }

  /// Unseals.
  package func unseal(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> Secret {
    try await checked { () async throws(DeviceAuthenticationError) in try await base.unseal(key) }
  }

  /// Returns the public key.
  package func publicKey(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
    try await checked { () async throws(DeviceAuthenticationError) in try await base.publicKey(of: key) }
  }

  /// Signs.
  package func sign(_ digest: [UInt8], with key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
    try await checked { () async throws(DeviceAuthenticationError) in try await base.sign(digest, with: key) }
  }

  /// Deletes a key: a wipe must work when nothing else does.
  package func delete(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) { try await base.delete(key) }

  /// Returns a note.
  package func note(named name: String) async throws(DeviceAuthenticationError) -> [UInt8]? {
    try await base.note(named: name)
  }

  /// Keeps a note.
  package func keep(
    _ note: [UInt8], named name: String, replacing former: [UInt8]?
  ) async throws(DeviceAuthenticationError) -> [UInt8]? {
    try await base.keep(note, named: name, replacing: former)
  }

  /// Returns the counter of a key.
  package func counter(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> UInt64? {
    try await checked { () async throws(DeviceAuthenticationError) in try await base.counter(of: key) }
  }

  /// Raises the counter of a key, if it has a value.
  package func advanceCounter(
    of key: KeyIdentifier, from value: UInt64
  ) async throws(DeviceAuthenticationError) -> CounterStep? {
    try await checked { () async throws(DeviceAuthenticationError) in
      try await base.advanceCounter(of: key, from: value)
    }
  }
}
