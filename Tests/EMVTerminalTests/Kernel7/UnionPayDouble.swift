import EMVCryptography
import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

/// A card of kernel 7 that signs (fDDA), and a terminal for it.
enum UnionPayDouble {
  static let kernelNumber: UInt8 = 7

  /// A terminal that takes the test authority's cards, with a floor limit and a CVM limit of 100.00 EUR.
  static func terminal(
    _ qualifiers: String = "36004080", hasAuthority: Bool = true,
    setting changes: KeyValuePairs<String, JSONValue> = [:]
  ) throws -> TerminalConfiguration {
    var profile = try Terminals.allKernels(0..<0, in: ["EUR"]).setting("applications", to: [application(qualifiers)])
    for (path, value) in changes { profile = profile.setting(path, to: value) }
    let authorities: JSONValue = hasAuthority ? [try SigningDouble.authority()] : []
    return try TerminalConfiguration(profile.setting("certificationAuthorities", to: authorities))
  }

  private static func application(_ qualifiers: String) -> JSONValue {
    [
      "name": "Kernel 7", "aids": [JSONValue(SigningDouble.name.hex)], "kernel": 7,
      "qualifiers": JSONValue(qualifiers),
      "limits": [["currency": "EUR", "transaction": "1000.00", "cvmRequired": "100.00", "floor": "100.00"]],
    ]
  }

  /// A card whose signature covers a payment of 12.34 EUR with the number of `Terminals`.
  ///
  /// - Parameters:
  ///   - related: Tag 9F69; nil for a card without it.
  ///   - coversPayment: Whether the signature covers amount, currency and tag 9F69; nil for what the version requires.
  static func card(
    _ type: CryptogramType = .tc, qualifiers: String = "0000", related: String? = "01A1B2C3D40000",
    format: UInt8 = 0x05, coversPayment: Bool? = nil, changing changes: [Tag: [UInt8]?] = [:]
  ) throws -> CardDouble {
    let staticData = SigningDouble.record.encoded + SigningDouble.profile
    let coversPayment = coversPayment ?? (related?.hasPrefix("01") == true)
    let payment = octets("0000000012340978") + octets(related ?? "")
    let signature = try SigningDouble.signature(
      format, octets("03020102"), covering: Terminals.unpredictableNumber + (coversPayment ? payment : []))
    var options: [Tag: [UInt8]?] = [
      0x82: SigningDouble.profile, 0x57: octets("4761739001010010D30122011143878089"),
      0x94: octets("0801010110010200"), 0x9F27: [type.cryptogramInformationData], 0x9F4B: signature,
      0x9F6C: octets(qualifiers), 0x5F34: nil, 0x9F08: octets("0030"),
    ]
    if let related { options[0x9F69] = octets(related) }
    options.merge(changes) { $1 }
    let certificates = try SigningDouble.certificates(covering: staticData)
    var application = CardDouble.Application(name: SigningDouble.name)
    application.options = CardDouble.options(options)
    application.records = [
      [1, 1]: SigningDouble.record, [2, 1]: Array(certificates.prefix(4)), [2, 2]: Array(certificates.dropFirst(4)),
    ]
    return CardDouble([application], directory: [CardDouble.entry(SigningDouble.name, kernel: [kernelNumber])])
  }
}
