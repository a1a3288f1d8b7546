public import Octets

/// The port to the keys that a device protects.
///
/// Every key is bound to the lock epoch of its creation. A removal of the lock is detected at the next access to a key,
/// and every later access returns the same result.
///
/// A function that names a key throws `.authenticationKeyInvalidated` when the key is invalid,
/// `.authenticationKeyMissing` when the device has no such key, and `.busy` or `.unavailable` when the store does not
/// work; the key may still be valid then.
public protocol ProtectedKeyStore: Sendable {
  /// Creates a key under the present lock epoch.
  ///
  /// - Parameter counting: Whether the key gets a counter, with which its owner notices a restored copy of older data. A
  ///   device has few counters.
  /// - Throws: `.passcodeNotSet` without a lock; `.unavailable` when the store has no keys of this kind, too many keys, or
  ///   no counter for a key that needs one.
  func create(_ kind: ProtectedKeyKind, counting: Bool) async throws(DeviceAuthenticationError) -> KeyIdentifier

  /// Returns every key of the store, also those that are invalid.
  func list() async throws(DeviceAuthenticationError) -> [ListedKey]

  /// Uses a key and returns whether it works.
  ///
  /// - Throws: `.busy` or `.unavailable` only.
  func access(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> KeyAccess

  /// Returns the 32 bytes of a sealing key. A signing key throws `.unavailable`.
  func unseal(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> Secret

  /// Returns the public key of a signing key: an uncompressed point of P-256, 65 bytes (ANSI X9.63). A sealing key
  /// throws `.unavailable`.
  func publicKey(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8]

  /// Signs with a signing key (ES256, RFC 7518, section 3.4). A sealing key throws `.unavailable`.
  ///
  /// - Parameter digest: A SHA-256 digest, 32 bytes. Another length throws `.unavailable`.
  /// - Returns: The numbers r and s, 64 bytes.
  func sign(_ digest: [UInt8], with key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8]

  /// Deletes a key, valid or not. Does nothing when the device has no such key.
  func delete(_ key: KeyIdentifier) async throws(DeviceAuthenticationError)

  /// Returns the counter of a key, which starts at any value and only rises. Nil for a key without a counter: a restored
  /// copy of older data cannot be detected then.
  func counter(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> UInt64?

  /// Raises the counter of a key by 1 if it has a value. The comparison and the step are one: of several processes that
  /// have read the same value, exactly one raises the counter.
  ///
  /// After an error the counter may have been raised or not.
  ///
  /// - Parameter value: The value from which the counter is raised.
  /// - Returns: What this call did, which is durable. Nil for a key without a counter.
  func advanceCounter(
    of key: KeyIdentifier, from value: UInt64
  ) async throws(DeviceAuthenticationError) -> CounterStep?

  /// Returns what the device keeps beside its keys under a name; nil when it keeps nothing there. A note is no secret. It
  /// stays when keys are deleted and when the lock is removed, and every program that can use the keys can read it.
  ///
  /// - Parameter name: A name that `DeviceNote.isName` accepts; another one throws `.unavailable`.
  /// - Throws: `.busy` or `.unavailable`.
  func note(named name: String) async throws(DeviceAuthenticationError) -> [UInt8]?

  /// Keeps a note in place of the one that the caller has read. The comparison and the change are one: of several processes
  /// that have read the same note, exactly one changes it. The change is durable when this returns.
  ///
  /// - Parameters:
  ///   - note: 1 to `DeviceNote.maximumCount` bytes; another count throws `.unavailable`.
  ///   - former: The note that the caller has read; nil for none.
  /// - Returns: What the device keeps after the call: `note`, or what another process has kept since.
  /// - Throws: `.busy` or `.unavailable`.
  func keep(
    _ note: [UInt8], named name: String, replacing former: [UInt8]?
  ) async throws(DeviceAuthenticationError) -> [UInt8]?
}

/// The rules of what a device keeps beside its keys.
public enum DeviceNote {
  /// The largest note, in bytes.
  public static let maximumCount = 768

  /// Whether a text can name a note: 1 to 64 characters of a to z, 0 to 9 and the hyphen.
  public static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
  }

  /// - Throws: `.unavailable` for a name or a count that is not allowed.
  package static func check(_ name: String, _ note: [UInt8]? = nil) throws(DeviceAuthenticationError) {
    guard isName(name) else {
      throw .unavailable(
        reason: "a note is named with 1 to 64 characters of a to z, 0 to 9 and the hyphen, not \(name)")
    }
    guard let note, !(1...maximumCount).contains(note.count) else { return }
    throw .unavailable(reason: "a note of \(note.count.bytes), where 1 to \(maximumCount) are allowed")
  }
}

extension ProtectedKeyStore {
  /// Throws `.unavailable`, for a store that keeps no notes.
  public func note(named name: String) async throws(DeviceAuthenticationError) -> [UInt8]? {
    throw .unavailable(reason: "this device keeps no notes beside its keys")
  }

  /// Throws `.unavailable`, for a store that keeps no notes.
  public func keep(
    _ note: [UInt8], named name: String, replacing former: [UInt8]?
  ) async throws(DeviceAuthenticationError) -> [UInt8]? {
    throw .unavailable(reason: "this device keeps no notes beside its keys")
  }

  /// Creates a key without a counter.
  public func create(_ kind: ProtectedKeyKind) async throws(DeviceAuthenticationError) -> KeyIdentifier {
    try await create(kind, counting: false)
  }

  /// Throws `.unavailable`, for a store that has no list.
  public func list() async throws(DeviceAuthenticationError) -> [ListedKey] {
    throw .unavailable(reason: "this device has no list of its keys")
  }

  /// Raises the counter of a key from its present value, if no other process raises it at this moment.
  ///
  /// - Returns: The value after this call. Nil when the device has no counters.
  public func advanceCounter(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> UInt64? {
    guard let value = try await counter(of: key) else { return nil }
    return switch try await advanceCounter(of: key, from: value) {
    case .raised: value + 1
    case .differed(let present): present
    case nil: nil
    }
  }
}

/// The result of a step of a key's counter.
public enum CounterStep: Equatable, Sendable {
  /// This call raised the counter by 1.
  case raised
  /// The counter had another value and was not raised.
  case differed(present: UInt64)
}

/// The kinds of protected keys.
public enum ProtectedKeyKind: UInt8, Codable, Sendable, CaseIterable {
  /// Holds 32 random bytes, from which the caller derives the keys that encrypt its data.
  case sealing = 1
  /// A private key of P-256, which signs and does not leave the device.
  case signing = 2
}

/// The result of an access to a key.
public enum KeyAccess: Codable, Equatable, Sendable {
  /// The key works.
  case usable
  /// The key will never work again.
  case invalidated(KeyInvalidation)
  /// The device has no such key: it was deleted through the port. A device that recognises the key of another device
  /// throws `.unavailable` instead, so that nothing is removed because the wrong device is used.
  case missing
}
