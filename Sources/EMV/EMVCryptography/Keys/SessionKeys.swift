public import Ciphers
public import Octets

/// Derives a session key: EMV common session key derivation with triple DES (EMV 4.3 Book 2, A1.3.1).
///
/// - Parameters:
///   - masterKey: The card's master key, 16 bytes; any other length traps.
///   - diversifier: R, eight bytes; its third is replaced by F0 for the left half and 0F for the right. For issuer
///     scripts it is the application cryptogram.
public func deriveCommonSessionKey(from masterKey: borrowing Secret, diversifier: UInt64) -> Secret {
  let keys = TripleDESKeys(masterKey)
  let blocks = TripleDESKeys.commonSessionKeyBlocks(diversifier)
  return doubleLengthKey(keys.encipher(blocks.left), keys.encipher(blocks.right))
}

/// Derives Visa's session key for issuer scripts: the counter on the left half of the master key, its complement on
/// the right. The scheme's document is not public; confirmed by values of a payment HSM.
///
/// - Parameters:
///   - masterKey: The card's master key for script integrity or confidentiality, 16 bytes; any other length traps.
///   - atc: The application transaction counter, tag 9F36.
public func deriveVisaScriptKey(from masterKey: borrowing Secret, atc: UInt16) -> Secret {
  masterKey.withExposedOctets { octets in
    precondition(octets.count == TripleDESKeys.keyCount, "a double-length key has 16 bytes")
    return doubleLengthKey(octets.block64() ^ UInt64(atc), octets.block64(at: 8) ^ UInt64(~atc))
  }
}

/// Derives a session key: EMV common session key derivation with AES-128 (EMV 4.3 Book 2, A1.3.1). No public vector
/// from a card or an HSM exists.
///
/// - Parameters:
///   - masterKey: The card's master key, 16 bytes; any other length traps.
///   - diversifier: R, sixteen bytes; for issuer scripts the application cryptogram and zeros.
public func deriveAESSessionKey(from masterKey: borrowing Secret, diversifier: UInt128) -> Secret {
  encipheredAESKey(masterKey, diversifier)
}

/// Returns a key that is a block enciphered with another key, as in both AES derivations of the book.
func encipheredAESKey(_ key: borrowing Secret, _ block: UInt128) -> Secret {
  let derived = AESKeys(key).encipher(block)
  return Secret(count: AESKeys.keyCount) { $0.put(derived, at: 0) }
}

extension TripleDESKeys {
  /// Replaces a key by the session key that a key derives. Allocates nothing, so that a card can derive a key that
  /// depends on the terminal's data (Mastercard's cryptogram versions 16 and 17).
  ///
  /// - Parameters:
  ///   - target: The index of the key that is replaced; it may be that of the deriving key.
  ///   - source: The index of the key that derives.
  ///   - diversifier: R of the common session key derivation (EMV 4.3 Book 2, A1.3.1).
  public mutating func replaceKey(at target: Int, withSessionKeyFrom source: Int, diversifier: UInt64) {
    let blocks = Self.commonSessionKeyBlocks(diversifier)
    replaceKey(blocks.left, blocks.right, at: target, from: source)
  }

  /// Returns the blocks from which the halves are enciphered.
  static func commonSessionKeyBlocks(_ diversifier: UInt64) -> (left: UInt64, right: UInt64) {
    let base = diversifier & ~(0xFF << 40)
    return (base | 0xF0 << 40, base | 0x0F << 40)
  }
}
