internal import DeviceAuthentication
internal import Octets

/// What a key store keeps of one key. Nothing of it is secret: the TPM encrypts the private part, and it checks the rest.
///
/// ```
/// bytes   content
/// 4        "CTK1"
/// 1        kind
/// 8        lock epoch of the creation
/// 4        number of the counter's index, 0 without a counter
/// 8        first value of the counter
/// 2 + n    name of the counter's index
/// 2 + n    public part (TPM2B_PUBLIC)
/// 2 + n    private part (TPM2B_PRIVATE)
/// ```
struct TPMKeyFile: Equatable, Sendable {
  /// A counter that belongs to one key.
  struct Counter: Equatable, Sendable {
    /// The number of its index.
    let index: UInt32
    /// The value at the creation of the key.
    let first: UInt64
    /// The name of the index (`TPM2B_NAME`): another one for each key, also when the number is used again.
    let name: [UInt8]
  }

  let kind: ProtectedKeyKind
  /// The lock epoch under which the key was created, and outside of which the TPM rejects it.
  let epoch: LockEpoch
  /// The key's counter; nil for a key without one.
  let counter: Counter?
  let publicArea: [UInt8]
  let privateArea: [UInt8]

  /// The largest file, in bytes. Those of the store have about 400.
  static let longest = 4096

  private static let mark = Array("CTK1".utf8)

  /// The comparisons that form the key's policy. The second one fails for ever when the counter is deleted, so a deleted
  /// key stays deleted although a copy of its file exists.
  func policy(epochIndex: UInt32) -> [TPMComparison] {
    Self.policy(epochIndex: epochIndex, epoch: epoch, counter: counter)
  }

  static func policy(epochIndex: UInt32, epoch: LockEpoch, counter: Counter?) -> [TPMComparison] {
    let epoch = TPMComparison(index: epochIndex, relation: .equal, number: epoch.rawValue)
    guard let counter else { return [epoch] }
    return [epoch, TPMComparison(index: counter.index, relation: .atLeast, number: counter.first)]
  }

  /// The file's bytes.
  var octets: [UInt8] {
    let head = Self.mark + [kind.rawValue] + epoch.rawValue.bigEndianOctets
    let counting =
      (counter?.index ?? 0).bigEndianOctets + (counter?.first ?? 0).bigEndianOctets
      + TPMTemplates.sized(counter?.name ?? [])
    return head + counting + TPMTemplates.sized(publicArea) + TPMTemplates.sized(privateArea)
  }
}

extension TPMKeyFile {
  /// Reads a file. Nil when the bytes are not those of a whole file.
  init?(_ octets: [UInt8]) {
    var cursor = Cursor(octets.span)
    do throws(OctetsError) {
      guard try cursor.take(4).array == Self.mark, let kind = ProtectedKeyKind(rawValue: try cursor.octet()),
        let epoch = UInt64(bigEndian: try cursor.take(8).array),
        let index = UInt32(bigEndian: try cursor.take(4).array),
        let first = UInt64(bigEndian: try cursor.take(8).array)
      else { return nil }
      let name = try cursor.take(Int(cursor.uint16())).array
      let publicArea = try cursor.take(Int(cursor.uint16())).array
      let privateArea = try cursor.take(Int(cursor.uint16())).array
      try cursor.finish()
      let counter = index == 0 ? nil : Counter(index: index, first: first, name: name)
      self.init(
        kind: kind, epoch: LockEpoch(rawValue: epoch), counter: counter, publicArea: publicArea,
        privateArea: privateArea)
    } catch {
      return nil
    }
  }
}
