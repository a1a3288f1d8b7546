import Ciphers
import EMVCryptography
import Octets

/// The block format of a new PIN before encipherment.
enum PINFormat {
  /// Visa's format: masked with four bytes of the card's master key for cryptograms, and with the current PIN.
  case visa
  /// Visa's format when the current PIN is known, else ISO 9564-1 format 2.
  case visaForCurrentPIN
  /// ISO 9564-1 format 2.
  case iso9564Format2
}

extension CryptogramVersion {
  private var pinFormat: PINFormat {
    guard paymentSystem == .visa else { return .iso9564Format2 }
    return self == .visa22 ? .visaForCurrentPIN : .visa
  }

  private var encipherment: ScriptEncipherment { paymentSystem == .visa ? .lengthFirst : .chainedWhenShort }

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
  func pinChange(
    to new: borrowing PersonalIdentificationNumber, current: borrowing PersonalIdentificationNumber?,
    keys: borrowing CardMasterKeys, atc: UInt16, cryptogram: UInt64
  ) -> [UInt8]? {
    guard script != nil else { return nil }
    let hasCurrent = current != nil
    if hasCurrent, pinFormat == .iso9564Format2 { return nil }
    let isVisa = pinFormat == .visa || hasCurrent
    let block =
      isVisa ? new.visaFormat(masterKey: keys.cryptogram, current: current) : new.iso9564Format2()
    let key = scriptSessionKey(masterKey: keys.scriptConfidentiality, atc: atc, cryptogram: cryptogram)
    let data = encipherment.encipher(block, TripleDESKeys(key))
    let header: [UInt8] = [0x84, 0x24, 0x00, hasCurrent ? 0x01 : 0x02, UInt8(data.count + 8)]
    let mac = scriptMAC(
      header: header, data: data, masterKey: keys.scriptIntegrity, atc: atc, cryptogram: cryptogram)
    return mac.map { header + data + $0.bigEndianOctets }
  }
}
