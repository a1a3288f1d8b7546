import EMVCryptography
import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

@Suite("Offline approval of kernel 3") struct Kernel3AuthenticationTests {
  /// A terminal that takes the test authority's cards, with a floor limit of 100.00 EUR.
  private static func terminal(_ qualifiers: String = "36004000", revoked: Bool = false, authority: Bool = true) throws
    -> TerminalConfiguration
  {
    var changes: [(String, JSONValue)] = [
      ("applications[0].aids", [JSONValue(SigningDouble.name.hex)]),
      ("applications[0].qualifiers", JSONValue(qualifiers)),
      ("applications[0].limits[0].floor", "100.00"), ("applications[0].limits[0].cvmRequired", "100.00"),
    ]
    if authority { changes.append(("certificationAuthorities", [try SigningDouble.authority()])) }
    if revoked {
      changes.append(
        ("revokedCertificates", [["provider": "F000000001", "index": "01", "serialNumber": "000001"]]))
    }
    return try TerminalConfiguration(changes.reduce(Terminals.profile()) { $0.setting($1.0, to: $1.1) })
  }

  /// A card with fDDA whose signature covers a payment of 12.34 EUR with the number of `Terminals`.
  private static func card(
    _ type: CryptogramType = .tc, qualifiers: String = "0000", related: String = "01A1B2C3D40000", format: UInt8? = nil,
    changing changes: [Tag: [UInt8]?] = [:]
  ) throws -> CardDouble {
    let staticData = SigningDouble.record.encoded + SigningDouble.profile
    let signature = try SigningDouble.signature(
      format ?? (type == .tc ? 0x05 : 0x95), octets("03020102"),
      covering: Terminals.unpredictableNumber + octets("0000000012340978") + octets(related))
    var options: [Tag: [UInt8]?] = [
      0x82: SigningDouble.profile, 0x57: octets("4761739001010010D30122011143878089"),
      0x94: octets("0801010110010200"), 0x9F27: [type.cryptogramInformationData], 0x9F4B: signature,
      0x9F69: octets(related), 0x9F6C: octets(qualifiers), 0x5F34: nil,
    ]
    options.merge(changes) { $1 }
    let certificates = try SigningDouble.certificates(covering: staticData)
    var application = CardDouble.Application(name: SigningDouble.name)
    application.options = CardDouble.options(options)
    application.records = [
      [1, 1]: SigningDouble.record, [2, 1]: Array(certificates.prefix(4)), [2, 2]: Array(certificates.dropFirst(4)),
    ]
    return CardDouble([application], directory: [CardDouble.entry(SigningDouble.name)])
  }

  private static func failure(_ reason: AuthenticationFailure) -> StepFailure {
    StepFailure(.decision, .dataAuthentication(reason))
  }

  @Test(arguments: [0x05, 0x95] as [UInt8]) func `a TC with a right signature is approved without a host`(
    _ format: UInt8
  ) throws {
    var card = try Self.card(format: format, changing: [0x9F5D: octets("000000005000")])
    let tap = try Terminals.tap(&card, "12.34", "EUR", Self.terminal())
    #expect(tap.outcome.kind == .approved && tap.outcome.cryptogram == .tc && tap.outcome.message == .approved)
    #expect(tap.outcome.dataAuthentication == .passed)
    #expect(tap.outcome.discretionaryData == [TLVNode(0x9F5D, octets("000000005000"))])
  }

  /// Tag 9F6C, tag 9F66, the end of a payment whose authentication fails.
  @Test(arguments: [
    ("0000", "36004000", PaymentOutcome.Kind.declined), ("2000", "36004000", .onlineRequest),
    ("2000", "2E004000", .declined), ("1000", "36004000", .otherInterface), ("1000", "26004000", .declined),
    ("3000", "36004000", .onlineRequest), ("3000", "3E004000", .otherInterface),
  ])
  func `after a failed authentication tag 9F6C decides`(
    qualifiers: String, reader: String, kind: PaymentOutcome.Kind
  ) throws {
    var card = try Self.card(qualifiers: qualifiers, changing: [0x9F4B: [UInt8](repeating: 1, count: 112)])
    let tap = try Terminals.tap(&card, "12.34", "EUR", Self.terminal(reader))
    #expect(tap.outcome.kind == kind)
    #expect(tap.outcome.dataAuthentication == .failed(.header(.dynamicData)))
    if kind == .otherInterface { #expect(tap.outcome.message == .insert) }
    if kind == .declined { #expect(tap.outcome.failure == Self.failure(.header(.dynamicData))) }
  }

  @Test(
    arguments: [
      ([0x9F4B: nil], .missing(0x9F4B)), ([0x9F69: nil], .missing(0x9F69)),
      ([0x9F69: "00A1B2C3D40000"], .version), ([0x9F69: "01A1B2C3D50000"], .hash(.dynamicData)),
      ([0x82: "0000"], .notSupported), ([0x82: "4000"], .missing(0x93)), ([0x82: "2040"], .hash(.cardCertificate)),
      ([0x94: "0801010010010200"], .hash(.cardCertificate)), ([0x94: "08010101"], .missing(0x8F)),
    ] as [([Tag: String?], AuthenticationFailure)])
  func `a TC without all data of a right signature is declined`(
    changes: [Tag: String?], reason: AuthenticationFailure
  ) throws {
    var card = try Self.card(changing: changes.mapValues { $0.map(octets) })
    let tap = try Terminals.tap(&card, "12.34", "EUR", Self.terminal())
    #expect(tap.outcome.kind == .declined && tap.outcome.failure == Self.failure(reason))
  }

  @Test func `a signature over another amount, another currency or another number is refused`() throws {
    for (amount, currency) in [("12.35", "EUR"), ("12.34", "USD")] {
      var card = try Self.card()
      let terminal = try Self.terminal()
      let tap = try Terminals.tap(&card, amount, currency, terminal)
      // The limits of the other currencies are those of the shipped profile: above them a TC goes online.
      #expect(tap.outcome.kind == (currency == "EUR" ? .declined : .onlineRequest))
    }
    let terminal = try Self.terminal()
    var transaction = try TerminalTransaction(
      Terminals.request("12.34", "EUR", terminal), configuration: terminal, random: Numbers([1, 2, 3, 4]))
    var card = try Self.card()
    var step = transaction.start()
    while case .transmit(let command, _) = step { step = transaction.receive(card.answer(command)) }
    guard case .outcome(let outcome) = step else { throw Terminals.Unreachable() }
    #expect(outcome.kind == .declined && outcome.failure == Self.failure(.hash(.dynamicData)))
  }

  @Test func `a revoked certificate and an unknown authority are refused`() throws {
    var card = try Self.card()
    let revoked = try Terminals.tap(&card, "12.34", "EUR", Self.terminal(revoked: true))
    #expect(revoked.outcome.failure == Self.failure(.revoked))
    card = try Self.card()
    let unknown = try Terminals.tap(&card, "12.34", "EUR", Self.terminal(authority: false))
    #expect(unknown.outcome.failure == Self.failure(.unknownAuthority(index: 1)))
  }

  @Test func `a TC with an online PIN goes online, and an ARQC to a reader without a host is declined`() throws {
    var card = try Self.card(qualifiers: "8000", related: "01A1B2C3D48000")
    let pin = try Terminals.tap(&card, "12.34", "EUR", Self.terminal())
    #expect(pin.outcome.kind == .onlineRequest && pin.outcome.message == .enterPIN)
    card = try Self.card(.arqc)
    let offline = try Terminals.tap(&card, "12.34", "EUR", Self.terminal("3E004000"))
    #expect(offline.outcome.failure == StepFailure(.decision, .onlineNotPossible))
  }

  /// Whether the reader authenticates for online payments, whether the signature is right, the end.
  @Test(arguments: [
    ("37004000", true, PaymentOutcome.Kind.onlineRequest), ("37004000", false, .declined),
    ("36004000", false, .onlineRequest),
  ])
  func `a reader that authenticates for online payments checks the signature of an ARQC`(
    reader: String, isRight: Bool, kind: PaymentOutcome.Kind
  ) throws {
    var card = try Self.card(.arqc, changing: isRight ? [:] : [0x9F4B: [UInt8](repeating: 1, count: 112)])
    let tap = try Terminals.tap(&card, "12.34", "EUR", Self.terminal(reader))
    #expect(tap.outcome.kind == kind)
    #expect((tap.outcome.dataAuthentication == nil) == (reader == "36004000"))
  }
}
