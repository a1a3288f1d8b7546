import EMVCard
import EMVCryptography
import EMVData
import ISO7816
import JSON
import Octets
import Testing

/// Cards that take their issuer's response, made of the shipped ones, and what their issuer sends.
enum IssuerCard {
  /// CDOL2: tags 91 (10 bytes), 8A, 95 and 9F37.
  static let cdol2 = "8D 910A8A0295059F3704"

  /// A Mastercard card with a second GENERATE AC, EXTERNAL AUTHENTICATE, scripts and RECOVER AC.
  static func mastercard(
    _ name: String = "mastercard-cvn21", external: Bool = true, list: String = cdol2, further: [String] = [],
    scripts: Bool = true, offline: [(String, JSONValue)] = []
  ) throws -> CardImage {
    var profile = try CardProfile(json: shippedJSON(name))
    var application = profile.applications[0]
    if external { application.aip = try setting(bit: 0x04, of: application.aip) }
    let record = try #require(application.records.firstIndex { $0.isSigned != true })
    application.records[record].data += [list] + further
    if scripts {
      application.getData = ["9F58 01", "9F59 02"]
      application.schemeKeys["scripts"] = ["putData": ["9F58"]]
    }
    if !offline.isEmpty {
      application.schemeKeys["offlineApproval"] = JSONValue(
        members: [("limit", 5000), ("currency", "978")] + offline.map { ($0.0, Optional($0.1)) })
    }
    profile.applications[0] = application
    return try CardImage(json: profile.json)
  }

  /// A Visa card that takes its issuer's response in a second presentment.
  static func visa(_ name: String = "visa-cvn18") throws -> CardImage {
    var profile = try CardProfile(json: shippedJSON(name))
    var application = profile.applications[0]
    application.aip = try setting(bit: 0x04, of: application.aip)
    application.ctq = "0040"
    application.schemeKeys["scripts"] = [:]
    profile.applications[0] = application
    return try CardImage(json: profile.json)
  }

  private static func setting(bit: UInt8, of text: String) throws -> String {
    var octets = try [UInt8](hex: text)
    octets[0] |= bit
    return octets.hex
  }

  /// An armed card that has given an ARQC.
  static func afterRequest(_ image: CardImage, state: CardState? = nil) throws -> Card {
    var card = Card(image: image, state: state, random: SeededRandomSource(seed: 1))
    card.arm(try arming(for: image))
    try request(&card, image)
    return card
  }

  /// The commands up to an ARQC.
  @discardableResult
  static func request(_ card: inout Card, _ image: CardImage, _ p1: UInt8 = 0x80) throws -> ResponseAPDU {
    let application = image.applications[0]
    _ = try card.answer(CommandAPDU.select(name: application.aid.octets))
    let options = try card.answer(Terminal.options(for: application.pdol))
    guard let list = application.cdol1 else { return options }
    return try card.answer(Terminal.generate(list, p1))
  }

  /// What the issuer returns for the ARQC of a card: tag 91.
  static func authenticationData(_ card: borrowing Card, _ image: CardImage) throws -> [UInt8] {
    let application = image.applications[0]
    let found = card.record
    let record = try #require(found)
    let isCode = application.cryptogramVersion.response?.method == .responseCode
    let data = try application.cryptogramVersion.issuerAuthenticationData(
      for: record.cryptogram, isCode ? .code(0x3030) : .cardStatusUpdate(0x0080_0000, proprietaryData: []),
      masterKey: masterKey(application, .applicationCryptogram), atc: record.transactionCounter,
      unpredictableNumber: Terminal.number.reduce(0) { $0 << 8 | UInt32($1) })
    return try #require(data)
  }

  static func externalAuthenticate(_ data: [UInt8]) throws -> CommandAPDU {
    try CommandAPDU(cla: 0x00, ins: 0x82, p1: 0, p2: 0, data: data)
  }

  /// The second GENERATE AC with tag 91, as CDOL2 of this file asks for it.
  static func second(_ data: [UInt8], _ p1: UInt8 = 0x40) throws -> CommandAPDU {
    let padded = data + [UInt8](repeating: 0, count: 10 - data.count)
    return try CommandAPDU(
      cla: 0x80, ins: 0xAE, p1: p1, p2: 0, data: padded + [0x30, 0x30, 0, 0, 0, 0, 0] + Terminal.number,
      expectedLength: 256)
  }

  /// A script command with its MAC.
  static func script(
    _ ins: UInt8, _ parameters: UInt16 = 0, _ data: [UInt8] = [], _ card: borrowing Card, _ image: CardImage
  ) throws -> [UInt8] {
    let application = image.applications[0]
    let found = card.record
    let record = try #require(found)
    let header: [UInt8] = [
      0x84, ins, UInt8(parameters >> 8), UInt8(parameters & 0xFF), UInt8(data.count + 8),
    ]
    let mac = try application.cryptogramVersion.scriptMAC(
      header: header, data: data, masterKey: masterKey(application, .scriptIntegrity), atc: record.transactionCounter,
      cryptogram: record.cryptogram)
    return try header + data + #require(mac).bigEndianOctets
  }
}
