public import Octets

/// Derives a session key: EMV common session key derivation with triple DES (EMV 4.3 Book 2, A1.3.1).
///
/// - Parameters:
///   - masterKey: The card's master key, 16 octets; anything else traps.
///   - diversifier: R, eight octets; its third is replaced by F0 for the left half and 0F for the right.
public func deriveCommonSessionKey(from masterKey: borrowing Secret, diversifier: UInt64) -> Secret {
  let keys = TripleDESKeys(masterKey)
  let base = diversifier & ~(0xFF << 40)
  return Secret(count: TripleDESKeys.keyCount) { octets in
    octets.put(withOddParity(keys.encipher(base | 0xF0 << 40)), at: 0)
    octets.put(withOddParity(keys.encipher(base | 0x0F << 40)), at: 8)
  }
}

/// Derives the session key for the application cryptogram of one transaction: R is the counter and zeros.
///
/// - Parameter atc: The application transaction counter, tag 9F36.
public func deriveCommonSessionKey(from masterKey: borrowing Secret, atc: UInt16) -> Secret {
  deriveCommonSessionKey(from: masterKey, diversifier: UInt64(atc) << 48)
}
