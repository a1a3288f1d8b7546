import EMVCard
import EMVData
import Fixtures
import ISO7816
import Octets
import Testing

@Suite("Status words of the cards of kernels 2, 4, 6 and 7")
struct KernelCommandTests {
  /// The states in which commands have different answers.
  enum State: CaseIterable {
    case unarmed, selected, initiated, refused, armed, armedSelected, armedInitiated, paid

    func card(_ image: CardImage) throws -> Card {
      let application = image.applications[0]
      var card = Card(image: image, random: SeededRandomSource(seed: 1))
      if [.armed, .armedSelected, .armedInitiated, .paid].contains(self) { card.arm(try arming(for: image)) }
      if self == .unarmed || self == .armed { return card }
      _ = try card.answer(.select(name: application.aid.octets))
      if self == .selected || self == .armedSelected { return card }
      _ = try card.answer(Terminal.options(for: application.pdol))
      if self == .initiated || self == .armedInitiated { return card }
      if let list = application.cdol1 {
        _ = try card.answer(Terminal.generate(list))
      } else if let list = application.udol {
        _ = try card.answer(Terminal.checksum(list))
      }
      return card
    }
  }

  struct Row {
    let name: String
    let command: String
    let expected: [UInt16]

    init(_ name: String, _ command: String, _ expected: UInt16...) {
      self.name = name
      self.command = command
      self.expected = expected
    }
  }

  static let list = "00000000123400000000000002760000000000097826112100" + "52BF4585" + "22" + "010002"
  static let generate = "80AE8000" + "21" + list + "00"
  static let checksum = "802A8E80" + "05" + "0000089901" + "00"

  /// Kernel 2, both modes. The columns are the states above.
  static let mastercard = [
    Row("SELECT", "00A4040007A000000004101000", 0x9000, 0x9000, 0x9000, 0x9000, 0x9000, 0x9000, 0x9000, 0x9000),
    Row("GPO", "80A8000002830000", 0x6985, 0x9000, 0x6985, 0x6985, 0x6985, 0x9000, 0x6985, 0x6985),
    Row("GPO too long", "80A800000383010000", 0x6985, 0x6700, 0x6985, 0x6985, 0x6985, 0x6700, 0x6985, 0x6985),
    Row("READ RECORD", "00B2011400", 0x6985, 0x6985, 0x9000, 0x9000, 0x6985, 0x6985, 0x9000, 0x9000),
    Row("READ RECORD of the tracks", "00B2010C00", 0x6985, 0x6985, 0x9000, 0x9000, 0x6985, 0x6985, 0x9000, 0x9000),
    Row("READ RECORD, no such", "00B2031400", 0x6985, 0x6985, 0x6A83, 0x6A83, 0x6985, 0x6985, 0x6A83, 0x6A83),
    Row("GENERATE AC", generate, 0x6985, 0x6985, 0x9000, 0x6985, 0x6985, 0x6985, 0x9000, 0x6985),
    Row("GENERATE AC, short", "80AE80000122", 0x6985, 0x6985, 0x6700, 0x6985, 0x6985, 0x6985, 0x6700, 0x6985),
    Row(
      "GENERATE AC, CDA", "80AE9000" + "21" + list + "00", 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86,
      0x6A86),
    Row(
      "GENERATE AC, reserved", "80AEC000" + "21" + list + "00", 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86,
      0x6A86, 0x6A86),
    Row("GENERATE AC, P2", "80AE8001012200", 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86),
    Row("CHECKSUM", checksum, 0x6985, 0x6985, 0x9000, 0x6985, 0x6985, 0x6985, 0x9000, 0x6985),
    Row("CHECKSUM, long", "802A8E8006000008990100", 0x6985, 0x6985, 0x6700, 0x6985, 0x6985, 0x6985, 0x6700, 0x6985),
    Row("CHECKSUM, P1", "802A8080050000089901", 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86),
    Row("RELAY", "80EA00000452BF458500", 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00),
    Row("GET DATA counter", "80CA9F3600", 0x6985, 0x6A88, 0x6A88, 0x6A88, 0x6985, 0x9000, 0x9000, 0x9000),
    Row("GET DATA", "80CA9F1700", 0x6985, 0x9000, 0x9000, 0x9000, 0x6985, 0x9000, 0x9000, 0x9000),
    Row("wrong class", "00AE8000012200", 0x6E00, 0x6E00, 0x6E00, 0x6E00, 0x6E00, 0x6E00, 0x6E00, 0x6E00),
    Row("unknown instruction", "80AF000000", 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00),
  ]

  /// Kernel 2, EMV mode only, with relay resistance.
  static let relay = [
    Row("RELAY", "80EA00000452BF458500", 0x6985, 0x6985, 0x9000, 0x6985, 0x6985, 0x6985, 0x9000, 0x6985),
    Row("RELAY, short", "80EA00000352BF4500", 0x6700, 0x6700, 0x6700, 0x6700, 0x6700, 0x6700, 0x6700, 0x6700),
    Row("RELAY, P2", "80EA00010452BF458500", 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86),
    Row("GENERATE AC", generate, 0x6985, 0x6985, 0x9000, 0x6985, 0x6985, 0x6985, 0x9000, 0x6985),
    Row("CHECKSUM", checksum, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00),
  ]

  /// Kernel 2, mag-stripe mode only.
  static let magStripe = [
    Row("GPO", "80A800000383010100", 0x6985, 0x9000, 0x6985, 0x6985, 0x6985, 0x9000, 0x6985, 0x6985),
    Row("GENERATE AC", generate, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00),
    Row("CHECKSUM", checksum, 0x6985, 0x6985, 0x9000, 0x6985, 0x6985, 0x6985, 0x9000, 0x6985),
  ]

  /// Kernel 4. An unarmed card gives no options, so that its records are not readable.
  static let americanExpress = [
    Row("GPO", "80A80000078305D8E0000022" + "00", 0x6985, 0x6984, 0x6984, 0x6984, 0x6985, 0x9000, 0x6985, 0x6985),
    Row("READ RECORD", "00B2011400", 0x6985, 0x6985, 0x6985, 0x6985, 0x6985, 0x6985, 0x9000, 0x9000),
    Row("GENERATE AC", generate, 0x6985, 0x6985, 0x6985, 0x6985, 0x6985, 0x6985, 0x9000, 0x6985),
    Row("CHECKSUM", checksum, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00),
  ]

  /// Kernel 5. An unarmed card gives its options, which state that the holder was not verified.
  static let jcb = [
    Row("GPO", "80A800000683040272000000", 0x6985, 0x9000, 0x6985, 0x6985, 0x6985, 0x9000, 0x6985, 0x6985),
    Row("READ RECORD", "00B2011400", 0x6985, 0x6985, 0x9000, 0x9000, 0x6985, 0x6985, 0x9000, 0x9000),
    Row("GENERATE AC", generate, 0x6985, 0x6985, 0x9000, 0x6985, 0x6985, 0x6985, 0x9000, 0x6985),
    Row("CHECKSUM", checksum, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00),
  ]

  /// Kernel 6. An unarmed card gives no options either.
  static let discover = [
    Row("GPO", discoverOptions, 0x6985, 0x6985, 0x6985, 0x6985, 0x6985, 0x9000, 0x6985, 0x6985),
    Row("GPO too short", "80A8000002830000", 0x6985, 0x6700, 0x6700, 0x6700, 0x6985, 0x6700, 0x6985, 0x6985),
    Row("READ RECORD", "00B2010C00", 0x6985, 0x6985, 0x6985, 0x6985, 0x6985, 0x6985, 0x9000, 0x9000),
    Row("GENERATE AC", generate, 0x6985, 0x6985, 0x6985, 0x6985, 0x6985, 0x6985, 0x9000, 0x6985),
    Row(
      "GENERATE AC, CDA", "80AE9000" + "21" + list + "00", 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86,
      0x6A86),
    Row("CHECKSUM", checksum, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00),
  ]
  private static let discoverOptions =
    "80A800001E831C" + "36004000" + "000000001234" + "000000000000" + "0276" + "0978" + "261121" + "00" + "52BF4585"
    + "00"

  /// Kernel 7: the cryptogram comes with the options.
  static let unionPay = [
    Row("GPO", CardCommandTests.options, 0x6985, 0x6986, 0x6986, 0x6986, 0x6985, 0x9000, 0x6985, 0x6985),
    Row(
      "GPO without EMV mode", CardCommandTests.withoutEMVMode, 0x6985, 0x6985, 0x6985, 0x6985, 0x6985, 0x6985, 0x6985,
      0x6985),
    Row("READ RECORD", "00B2010C00", 0x6985, 0x6985, 0x6985, 0x6985, 0x6985, 0x6985, 0x9000, 0x9000),
    Row("GENERATE AC", generate, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00),
  ]

  static let tables: [(card: String, rows: [Row])] = [
    ("mastercard-cvn16", mastercard), ("mastercard-cvn21", relay), ("mastercard-magstripe", magStripe),
    ("amex-mobile", americanExpress), ("amex-magstripe", americanExpress), ("jcb-mobile", jcb),
    ("discover", discover), ("unionpay", unionPay),
  ]

  @Test(arguments: tables.indices)
  func `every command in every state returns the status word of the table`(_ table: Int) throws {
    let image = try shippedImage(Self.tables[table].card)
    for row in Self.tables[table].rows {
      for (state, status) in zip(State.allCases, row.expected) {
        var card = try state.card(image)
        let answer = try card.answer(row.command)
        #expect(answer.hasSuffix(status.hex), "\(row.name) in state \(state) answered \(answer)")
      }
    }
  }

  @Test
  func `a co-badged card has all commands before a selection, then those of the selected application`()
    throws
  {
    let image = try shippedImage("co-badged")
    var card = Card(image: image)
    #expect(try card.answer(Self.generate) == "6985")
    _ = try card.answer(.select(name: image.applications[0].aid.octets))
    #expect(try card.answer(Self.generate) == "6D00")
    #expect(try card.answer("00AE800000") == "6D00")
    _ = try card.answer(.select(name: image.applications[1].aid.octets))
    #expect(try card.answer(Self.generate) == "6985")
  }

  @Test func `the directory of a co-badged card has both applications with their kernels, by priority`() throws {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/co-badged.json")))
    for isMastercardFirst in [false, true] {
      profile.applications[0].priority = isMastercardFirst ? 2 : 1
      profile.applications[1].priority = isMastercardFirst ? 1 : 2
      var card = Card(image: try CardImage(compiling: profile))
      let answer = try card.answer(.select(name: FileControlInformation.ppseName))
      let directory = try FileControlInformation(parsing: answer.data).directory
      #expect(directory.map(\.kernelIdentifier) == (isMastercardFirst ? [[2], [3]] : [[3], [2]]))
      #expect(directory.map(\.priority) == [1, 2])
    }
  }

  @Test(arguments: [FieldEvent.powered, .reset, .lost])
  func `a field event ends the exchange and keeps the use`(_ event: FieldEvent) throws {
    var card = try State.armedInitiated.card(shippedImage("mastercard-cvn16"))
    card.fieldChanged(event, at: Instant(nanoseconds: 0))
    #expect(try card.answer(Self.generate) == "6985")
    #expect(card.isArmed == true)
    #expect(card.phase == .engaged)
  }
}
