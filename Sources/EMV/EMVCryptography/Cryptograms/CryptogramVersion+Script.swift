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
    case (.common, .aes128): deriveAESSessionKey(from: masterKey, cryptogram: cryptogram)
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

  /// Returns the command that changes the card's PIN: PIN CHANGE/UNBLOCK with an enciphered PIN and a MAC of 8 bytes
  /// (EMV 4.3 Book 3, 6.5.10).
  ///
  /// - Parameters:
  ///   - current: The PIN that the card has now, for Visa's P2 = 01; nil sets the new PIN without it, P2 = 02.
  ///   - keys: The card's master keys.
  ///   - atc: The application transaction counter, tag 9F36.
  ///   - cryptogram: The card's cryptogram, tag 9F26.
  /// - Returns: The command, or nil when the version has no scripts or its PIN format cannot hold the current
  ///   PIN.
  public func pinChange(
    to new: borrowing PersonalIdentificationNumber, current: borrowing PersonalIdentificationNumber?,
    keys: borrowing CardMasterKeys, atc: UInt16, cryptogram: UInt64
  ) -> [UInt8]? {
    guard let script else { return nil }
    let hasCurrent = current != nil
    if hasCurrent, script.pinFormat == .iso9564Format2 { return nil }
    let isVisa = script.pinFormat == .visa || hasCurrent
    let block =
      isVisa ? new.visaFormat(masterKey: keys.cryptogram, current: current) : new.iso9564Format2()
    let key = scriptSessionKey(masterKey: keys.scriptConfidentiality, atc: atc, cryptogram: cryptogram)
    let data = script.encipherment.encipher(block, TripleDESKeys(key))
    let header: [UInt8] = [0x84, 0x24, 0x00, hasCurrent ? 0x01 : 0x02, UInt8(data.count + 8)]
    let mac = scriptMAC(
      header: header, data: data, masterKey: keys.scriptIntegrity, atc: atc, cryptogram: cryptogram)
    return mac.map { header + data + $0.bigEndianOctets }
  }
}
