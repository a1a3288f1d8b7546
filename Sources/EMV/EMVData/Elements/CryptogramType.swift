/// The type of an application cryptogram: bits 8 and 7 of tag 9F27 (EMV 4.4 Book 3, table 15).
public enum CryptogramType: String, Sendable {
  /// Application authentication cryptogram: declined.
  case aac = "AAC"
  /// Transaction certificate: approved offline.
  case tc = "TC"
  /// Authorisation request cryptogram: go online.
  case arqc = "ARQC"

  /// The type in cryptogram information data, or nil for the reserved value 11.
  public init?(cryptogramInformationData octet: UInt8) {
    self.init(bits: octet >> 6)
  }

  /// The type in Visa's card verification results: byte 2 bits 6 and 5, the first cryptogram
  /// (EMV Contactless Book C-3, 5.4.3: a card without tag 9F27 has the type there).
  public init?(visaCardVerificationResults octets: some Collection<UInt8>) {
    guard octets.count >= 2, let octet = octets.dropFirst().first else { return nil }
    self.init(verificationResultsOctet: octet)
  }

  /// The type of the first cryptogram in a byte of card verification results that has it in bits 6 and 5: byte 1 of
  /// Mastercard's and common core's, byte 2 of Visa's. Nil for the reserved value 11.
  public init?(verificationResultsOctet octet: UInt8) {
    self.init(bits: octet >> 4 & 0x03)
  }

  private init?(bits: UInt8) {
    switch bits {
    case 0b00: self = .aac
    case 0b01: self = .tc
    case 0b10: self = .arqc
    default: return nil
    }
  }

  /// The byte of tag 9F27 for this type.
  public var cryptogramInformationData: UInt8 {
    switch self {
    case .aac: 0x00
    case .tc: 0x40
    case .arqc: 0x80
    }
  }
}
