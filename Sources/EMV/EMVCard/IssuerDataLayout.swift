internal import EMVCryptography
internal import EMVData
internal import Octets

/// Tag 9F10 as a profile has it, and what the card writes into its card verification results (CVR).
///
/// The CVR of Mastercard are those of public decoders: byte 1 bits 6 and 5 the cryptogram of the first GENERATE AC, bit
/// 3 offline PIN verification performed, bit 1 successful; a verification on the device takes that place. Those of
/// common core are EMV 4.3 Book 3, C7.3: byte 2 bit 4 offline PIN verification performed, bit 3 not successful.
struct IssuerDataLayout {
  /// What the results tell.
  enum Results {
    /// An ARQC, as the profile has them.
    case asGiven
    /// A cryptogram of a type after the holder was verified on the device.
    case verified(CryptogramType)
    /// An AAC, without a verification.
    case unverified
  }

  let version: CryptogramVersion
  private let derivationKeyIndex: UInt8
  private let results: [UInt8]
  private let further: [UInt8]

  init(_ profile: CardProfile.Cryptogram, _ version: CryptogramVersion, _ path: String, _ reader: inout ProfileReader) {
    self.version = version
    derivationKeyIndex = reader.octets(profile.derivationKeyIndex, path + ".derivationKeyIndex", 1...1).first ?? 0
    let counts = Self.counts(version)
    results = reader.octets(profile.cvr, path + ".cvr", counts.results...counts.results)
    let zeros = [UInt8](repeating: 0, count: counts.further)
    further =
      profile.further.map { reader.octets($0, path + ".further", counts.further...counts.further) } ?? zeros
    check(path + ".cvr", &reader)
  }

  /// The octets of tag 9F10.
  func octets(_ results: Results) -> [UInt8] {
    let verification = octets(of: results)
    switch version.paymentSystem {
    case .visa where version == .visa22: return [0x1F, version.number, derivationKeyIndex] + verification + further
    case .commonCore:
      return [0x0F, version.number, derivationKeyIndex] + verification + further.prefix(8) + [0x0F]
        + further.dropFirst(8)
    case .mastercard: return [derivationKeyIndex, version.number] + verification + further
    case .visa, .interac:
      return VisaIssuerApplicationData.standard(
        derivationKeyIndex: derivationKeyIndex, cryptogramVersionNumber: version.number,
        cardVerificationResults: verification)
    }
  }

  private func octets(of results: Results) -> [UInt8] {
    guard self.results.count >= 2, version.paymentSystem != .visa else { return self.results }
    var octets = self.results
    switch results {
    case .asGiven: break
    case .verified(let type):
      if type == .aac { octets[0] &= ~Self.typeBits }
      if version.paymentSystem == .mastercard { octets[0] |= 0x05 } else { octets[1] |= 0x08 }
    case .unverified: octets[0] &= ~Self.typeBits
    }
    return octets
  }

  /// Byte 1 bits 6 and 5 of Mastercard's and common core results: 00 AAC, 10 ARQC.
  private static let typeBits: UInt8 = 0x30

  private static func counts(_ version: CryptogramVersion) -> (results: Int, further: Int) {
    switch version.paymentSystem {
    case .visa, .interac: version == .visa22 ? (5, 24) : (4, 0)
    case .mastercard: (6, 10)
    case .commonCore: (5, 23)
    }
  }

  private func check(_ path: String, _ reader: inout ProfileReader) {
    guard let first = results.first else { return }
    guard version.paymentSystem != .visa else { return checkVisa(first, path, &reader) }
    if first >> 4 != 0x0A {
      reader.report(path, "byte 1 bits 8 to 5 must say ARQC and no second cryptogram (1010): this card goes online")
    }
    let isVerified = version.paymentSystem == .mastercard ? first & 0x07 != 0 : results[1] & 0x0C != 0
    if isVerified {
      reader.report(path, "the bits of an offline PIN verification must be 0: the card sets them when it is armed")
    }
  }

  private func checkVisa(_ first: UInt8, _ path: String, _ reader: inout ProfileReader) {
    if version != .visa22, first != 0x03 {
      reader.report(path, "the first octet is \(first.hex): it states the length of the others, 03")
    } else if CryptogramType(visaCardVerificationResults: results) != .arqc {
      reader.report(path, "byte 2 bits 6 and 5 must say ARQC (10): this card always asks to go online")
    }
  }
}
