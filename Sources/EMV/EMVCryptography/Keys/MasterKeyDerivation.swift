internal import Ciphers
public import EMVData
public import Octets

/// The derivations of a card's master key from an issuer master key (EMV 4.3 Book 2, A1.4).
public enum MasterKeyDerivation: Sendable {
  /// Option A, triple DES: the rightmost 16 digits of account number and sequence number.
  case optionA
  /// Option B, triple DES: option A up to 16 digits of account number, decimalised SHA-1 for more digits.
  case optionB
  /// Option C, AES-128: all digits of account number and sequence number. Longer AES keys are not supported, because
  /// the book's constant for them is ambiguous in print; no public vector from a card or an HSM exists.
  case optionC
}

/// Derives a card's master key from its issuer's.
///
/// - Parameters:
///   - issuerMasterKey: 16 bytes; any other length traps.
///   - sequenceNumber: Tag 5F34, two decimal digits in one byte; nil is read as 00.
public func deriveICCMasterKey(
  from issuerMasterKey: borrowing Secret, _ derivation: MasterKeyDerivation, accountNumber: PrimaryAccountNumber,
  sequenceNumber: UInt8?
) -> Secret {
  let digits = accountNumber.exposedDigits + (sequenceNumber ?? 0).hex
  switch derivation {
  case .optionB where accountNumber.exposedDigits.utf8.count > 16:
    return tripleDESMasterKey(issuerMasterKey, decimalizedHash(of: digits))
  case .optionA, .optionB:
    return tripleDESMasterKey(issuerMasterKey, rightmost16(of: digits))
  case .optionC:
    // There are at most 21 digits, and the block has room for 32.
    let input = digits.utf8.reduce(UInt128(0)) { $0 << 4 | UInt128($1 & 0x0F) }
    return encipheredAESKey(issuerMasterKey, input)
  }
}

private func tripleDESMasterKey(_ issuerMasterKey: borrowing Secret, _ input: UInt64) -> Secret {
  let keys = TripleDESKeys(issuerMasterKey)
  return doubleLengthKey(keys.encipher(input), keys.encipher(~input))
}

/// The rightmost 16 digits, with zeros on the left when there are fewer, one digit in each nibble.
private func rightmost16(of digits: String) -> UInt64 {
  digits.utf8.suffix(16).reduce(0) { $0 << 4 | UInt64($1 & 0x0F) }
}

/// The first 16 decimal digits of the SHA-1 of the digits; if there are fewer than 16, the letters A to F follow as 0
/// to 5.
private func decimalizedHash(of digits: String) -> UInt64 {
  let even = (digits.utf8.count % 2 == 1 ? "0" : "") + digits
  let nibbles = Array(even.utf8).map { $0 & 0x0F }
  let octets = stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
  let hashed = SHA1.digest(of: octets).flatMap { [$0 >> 4, $0 & 0x0F] }
  let decimal = hashed.filter { $0 <= 9 } + hashed.filter { $0 > 9 }.map { $0 - 10 }
  return decimal.prefix(16).reduce(0) { $0 << 4 | UInt64($1) }
}
