internal import DeviceAuthentication
internal import Octets

/// Structures of TPM 2.0 (Library, part 2) as bytes. The software stack checks them when it reads them.
enum TPMTemplates {
  // Algorithms (part 2, section 6.3) and the curve NIST P-256 (section 6.4).
  private static let aes: UInt16 = 0x0006
  private static let keyedHash: UInt16 = 0x0008
  private static let sha256: UInt16 = 0x000B
  private static let none: UInt16 = 0x0010
  private static let ecdsa: UInt16 = 0x0018
  private static let ecc: UInt16 = 0x0023
  private static let cipherFeedback: UInt16 = 0x0043
  private static let p256: UInt16 = 0x0003

  // Attributes of objects (part 2, section 8.3).
  private static let fixedToTPM: UInt32 = 1 << 1
  private static let fixedToParent: UInt32 = 1 << 4
  private static let madeByTPM: UInt32 = 1 << 5
  private static let useWithValue: UInt32 = 1 << 6
  private static let administrationByPolicy: UInt32 = 1 << 7
  private static let noDictionaryProtection: UInt32 = 1 << 10
  private static let restricted: UInt32 = 1 << 16
  private static let decrypts: UInt32 = 1 << 17
  private static let signs: UInt32 = 1 << 18

  /// AES-128 in cipher feedback mode, with which a session encrypts the parameters of its commands (`TPMT_SYM_DEF`).
  static let sessionCipher = octets([aes, 128, cipherFeedback])

  /// The primary key in the owner hierarchy: the storage key of P-256 of the TCG Provisioning Guidance, section 7.5.1.
  /// Every TPM computes it from its seed, so nothing is stored, and another one after TPM2_Clear.
  static var primary: [UInt8] {
    let attributes = [
      fixedToTPM, fixedToParent, madeByTPM, useWithValue, noDictionaryProtection, restricted, decrypts,
    ]
    let zeros = [UInt8](repeating: 0, count: 32)
    return sized(
      octets([ecc, sha256]) + attributes.reduce(0, |).bigEndianOctets + sized([])
        + octets([aes, 128, cipherFeedback, none, p256, none]) + sized(zeros) + sized(zeros))
  }

  /// A key that only a session with this policy uses (`TPM2B_PUBLIC`).
  static func key(_ kind: ProtectedKeyKind, policy: [UInt8]) -> [UInt8] {
    let common = [fixedToTPM, fixedToParent, administrationByPolicy, noDictionaryProtection]
    switch kind {
    case .sealing:
      return sized(
        octets([keyedHash, sha256]) + common.reduce(0, |).bigEndianOctets + sized(policy) + octets([none]) + sized([]))
    case .signing:
      let attributes = (common + [madeByTPM, signs]).reduce(0, |)
      return sized(
        octets([ecc, sha256]) + attributes.bigEndianOctets + sized(policy)
          + octets([none, ecdsa, sha256, p256, none]) + sized([]) + sized([]))
    }
  }

  /// The attributes of an index that counts (part 2, section 13.4): of type counter, read and written with its own empty
  /// value, defined and deleted by the owner, without dictionary protection.
  static let counterAttributes: UInt32 =
    [1, 2, 4, 17, 18, 25].reduce(0) { attributes, bit in attributes | 1 << bit }
  /// The attribute that the TPM adds at the first write.
  static let written: UInt32 = 1 << 29

  /// An index that counts (`TPM2B_NV_PUBLIC`).
  ///
  /// - Parameter mark: Bytes that enter the name of the index and have no other use: 32, or 0.
  static func counter(_ index: UInt32, attributes: UInt32 = counterAttributes, mark: [UInt8]) -> [UInt8] {
    sized(index.bigEndianOctets + octets([sha256]) + attributes.bigEndianOctets + sized(mark) + octets([8]))
  }

  /// Bytes behind their number (`TPM2B`). The callers' arrays are shorter than 65 536 bytes.
  static func sized(_ content: [UInt8]) -> [UInt8] {
    UInt16(truncatingIfNeeded: content.count).bigEndianOctets + content
  }

  private static func octets(_ numbers: [UInt16]) -> [UInt8] { numbers.flatMap(\.bigEndianOctets) }

  /// Reads the public point of a signing key from its public area.
  ///
  /// - Returns: 65 bytes (ANSI X9.63), or nil when the bytes are not those of a signing key.
  static func point(of publicArea: [UInt8]) -> [UInt8]? {
    var cursor = Cursor(publicArea.span)
    do throws(OctetsError) {
      try cursor.skip(2)
      guard try cursor.uint16() == ecc else { return nil }
      try cursor.skip(6)
      try cursor.skip(Int(cursor.uint16()))
      try cursor.skip(10)
      let x = try coordinate(&cursor)
      let y = try coordinate(&cursor)
      try cursor.finish()
      guard let x, let y else { return nil }
      return [0x04] + x + y
    } catch {
      return nil
    }
  }

  /// Reads r and s from a signature by ECDSA with SHA-256 (`TPMT_SIGNATURE`).
  ///
  /// - Returns: 64 bytes, or nil when the bytes are another signature.
  static func signature(in octets: [UInt8]) -> [UInt8]? {
    var cursor = Cursor(octets.span)
    do throws(OctetsError) {
      guard try cursor.uint16() == ecdsa, try cursor.uint16() == sha256 else { return nil }
      let r = try coordinate(&cursor)
      let s = try coordinate(&cursor)
      try cursor.finish()
      guard let r, let s else { return nil }
      return r + s
    } catch {
      return nil
    }
  }

  /// Reads a number and fills it with leading zeros to 32 bytes; nil when it is longer or empty.
  private static func coordinate(_ cursor: inout Cursor) throws(OctetsError) -> [UInt8]? {
    let number = try cursor.take(Int(cursor.uint16()))
    guard (1...32).contains(number.count) else { return nil }
    return [UInt8](repeating: 0, count: 32 - number.count) + number.array
  }
}
