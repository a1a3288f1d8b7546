internal import Ciphers
public import Octets

extension CryptogramVersion {
  /// Returns the key of the issuer scripts of one transaction.
  ///
  /// - Parameters:
  ///   - masterKey: The card's master key for script integrity or confidentiality, 16 bytes; any other length traps.
  ///   - atc: The application transaction counter, tag 9F36.
  ///   - cryptogram: The card's cryptogram, tag 9F26.
  public func scriptSessionKey(masterKey: borrowing Secret, atc: UInt16, cryptogram: UInt64) -> Secret {
    switch (scriptKey, cipher) {
    case (.visa, _): deriveVisaScriptKey(from: masterKey, atc: atc)
    case (.common, .tripleDES): deriveCommonSessionKey(from: masterKey, diversifier: cryptogram)
    case (.common, .aes128): deriveAESSessionKey(from: masterKey, diversifier: UInt128(cryptogram) << 64)
    }
  }

  /// Returns the MAC of an issuer script command (EMV 4.3 Book 2, 9.2, format 2), or nil when the version has no
  /// scripts.
  ///
  /// - Parameters:
  ///   - header: CLA INS P1 P2 Lc, where Lc includes the MAC.
  ///   - data: The command data without the MAC; confidential data must be enciphered.
  ///   - masterKey: The card's master key for script integrity, 16 bytes; any other length traps.
  ///   - atc: The application transaction counter, tag 9F36.
  ///   - cryptogram: The card's cryptogram, tag 9F26.
  public func scriptMAC(
    header: [UInt8], data: [UInt8], masterKey: borrowing Secret, atc: UInt16, cryptogram: UInt64
  ) -> UInt64? {
    guard let script else { return nil }
    let transaction = script.coversTransaction ? atc.bigEndianOctets + cryptogram.bigEndianOctets : []
    let message = header + transaction + data
    let keys = TripleDESKeys(scriptSessionKey(masterKey: masterKey, atc: atc, cryptogram: cryptogram))
    var mac = RetailMAC()
    mac.absorb(message.span, keys)
    return mac.finish(.mandatory, keys)
  }
}
