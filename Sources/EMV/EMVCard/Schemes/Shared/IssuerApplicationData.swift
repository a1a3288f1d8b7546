internal import Documents
internal import EMVCryptography
internal import EMVData
internal import JSON

/// Tag 9F10 of an application with GENERATE AC, in its three cases.
struct IssuerApplicationData {
  let version: CryptogramVersion
  /// With an ARQC, after a verification of the cardholder on the device.
  let request: [UInt8]
  /// With a TC, after such a verification.
  let approval: [UInt8]
  /// With an AAC, after such a verification.
  let decline: [UInt8]
  /// With the AAC of an unarmed card.
  let refusal: [UInt8]
  /// Whether the wallet may append bytes.
  let takesWalletData: Bool

  /// With the first cryptogram of an armed card.
  func octets(with type: CryptogramType) -> [UInt8] {
    switch type {
    case .arqc: request
    case .tc: approval
    case .aac: decline
    }
  }

  /// With the second cryptogram after an ARQC, by its type and what became of the issuer's authentication.
  let second: (_ type: CryptogramType, _ authentication: IssuerAuthentication) -> [UInt8]

  /// The layout of tag 9F10 and of the card verification results (CVR) in it. In every layout byte 1 bits 6 and 5 of
  /// the results hold the type of the first cryptogram: 00 AAC, 10 ARQC.
  struct Layout: Sendable {
    /// The number of bytes of the results.
    let resultsCount: Int
    /// The number of bytes of `further` in the profile.
    let furtherCount: Int
    /// The bits of the results that report a successful verification: those of an offline PIN, since a verification on
    /// the device takes its place.
    let verified: [UInt8]
    /// Notes results that report a verification, or its absence, before the cardholder is verified.
    let check: @Sendable (_ results: [UInt8], _ cryptogram: inout ObjectReader) -> Void
    /// The bits of the results that report what became of the issuer's authentication.
    let authentication: @Sendable (IssuerAuthentication) -> [UInt8]
    let takesWalletData: Bool
    /// Puts the bytes of tag 9F10 together.
    let octets: @Sendable (_ keyIndex: UInt8, _ version: UInt8, _ results: [UInt8], _ further: [UInt8]) -> [UInt8]

    /// Common core definitions (EMV 4.3 Book 3, C7).
    static let commonCore = Layout(
      resultsCount: 5, furtherCount: 23, verified: CommonCoreCardVerificationResults.offlinePINPerformed.octets,
      check: { results, cryptogram in
        let bits: CommonCoreCardVerificationResults = [.offlinePINPerformed, .offlinePINFailed]
        cryptogram.checkUnverified(results, bits, "cvr")
      },
      authentication: { authentication in
        let bits: CommonCoreCardVerificationResults =
          switch authentication {
          case .notPerformed: [.issuerAuthenticationNotPerformed, .unableToGoOnline]
          case .successful: []
          case .failed: .issuerAuthenticationFailed
          }
        return bits.octets
      }, takesWalletData: false
    ) { keyIndex, version, results, further in
      [0x0F, version, keyIndex] + results + further.prefix(8) + [0x0F] + further.dropFirst(8)
    }
  }

  /// The versions of a payment system and their layout.
  struct Versions {
    let name: String
    let byNumber: [Int: CryptogramVersion]
    let layout: Layout

    /// EMV's own versions.
    static let commonCore = Versions(name: "common core", byNumber: [5: .commonCore5], layout: .commonCore)
  }

  /// Reads `cryptogram` of an application.
  ///
  /// - Parameters:
  ///   - own: The payment system's own versions; nil when no public document has them.
  ///   - name: The payment system.
  init(_ application: inout ObjectReader, own: Versions?, of name: String) {
    self = application.object(CardKeys.cryptogram.name) { cryptogram in
      let systems = CardProfile.Cryptogram.System.allCases.map { ($0.rawValue, $0) }
      let system = cryptogram.optionalChoice(CardKeys.system.name, of: systems)
      if system == nil, own == nil {
        cryptogram.note("system", "\(name) cryptograms are in no public document: \"commonCore\" is needed")
      }
      return IssuerApplicationData(&cryptogram, system == .commonCore ? .commonCore : own ?? .commonCore)
    }
  }

  private init(_ cryptogram: inout ObjectReader, _ versions: Versions) {
    version = cryptogram.version(of: versions.name, versions.byNumber)
    let layout = versions.layout
    takesWalletData = layout.takesWalletData
    let keyIndex = cryptogram.octets(CardKeys.derivationKeyIndex)?.first ?? 0
    let results = cryptogram.octets(CardKeys.results.name, count: layout.resultsCount)
    let further =
      cryptogram.optionalOctets(CardKeys.further.name, count: layout.furtherCount)
      ?? [UInt8](repeating: 0, count: layout.furtherCount)
    if results[0] >> 4 != 0x0A {
      cryptogram.note(
        "cvr", "byte 1 bits 8 to 5 must be 1010, an ARQC and no second cryptogram: this card always goes online")
    }
    layout.check(results, &cryptogram)
    let number = version.number
    let verified = zip(results, layout.verified).map { $0 | $1 }
    func octets(isVerified: Bool, _ type: CryptogramType) -> [UInt8] {
      var results = isVerified ? verified : results
      if type != .arqc { results[0] = results[0] & ~0x30 | (type == .tc ? 0x10 : 0) }
      return layout.octets(keyIndex, number, results, further)
    }
    second = { type, authentication in
      var results = zip(verified, layout.authentication(authentication)).map { $0 | $1 }
      results[0] = results[0] & ~0xC0 | (type == .tc ? 0x40 : 0)
      return layout.octets(keyIndex, number, results, further)
    }
    request = octets(isVerified: true, .arqc)
    approval = octets(isVerified: true, .tc)
    decline = octets(isVerified: true, .aac)
    refusal = octets(isVerified: false, .aac)
  }
}
