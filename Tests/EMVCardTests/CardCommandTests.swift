import EMVCard
import EMVData
import Foundation
import ISO7816
import JSON
import Octets
import Testing

@Suite("Status words of a Visa card")
struct CardCommandTests {
  /// The states in which commands have different answers.
  enum State: CaseIterable {
    case unarmed, unarmedSelected, armed, armedSelected, initiated, completed

    func card() throws -> Card {
      let image = try shippedImage("visa-cvn18")
      let application = image.applications[0]
      var card = Card(image: image)
      if self != .unarmed, self != .unarmedSelected { card.arm(try arming(for: image)) }
      if self != .unarmed, self != .armed { _ = try card.answer(.select(name: application.aid.octets)) }
      if self == .initiated || self == .completed { _ = try card.answer(Terminal.options(for: application.pdol)) }
      if self == .completed {
        _ = try card.answer(.readRecord(1, sfi: 1))
        _ = try card.answer(.readRecord(1, sfi: 3))
      }
      return card
    }
  }

  static let options =
    "80A80000238321" + "32804000" + "000000001234" + "000000000000" + "0276" + "0000000000" + "0978" + "261121" + "00"
    + "52BF4585" + "00"

  /// The same from a reader that takes mag-stripe mode only: tag 9F66 is 92804000.
  static let withoutEMVMode = options.replacingOccurrences(of: "832132", with: "832192")

  /// A command and its status word in each of the states above.
  static let table: [(name: String, command: String, expected: [UInt16])] = [
    ("SELECT PPSE", "00A404000E325041592E5359532E444446303100", [0x9000, 0x9000, 0x9000, 0x9000, 0x9000, 0x9000]),
    ("SELECT AID", "00A4040007A000000003101000", [0x9000, 0x9000, 0x9000, 0x9000, 0x9000, 0x9000]),
    ("SELECT RID", "00A4040005A00000000300", [0x9000, 0x9000, 0x9000, 0x9000, 0x9000, 0x9000]),
    ("SELECT longer than the AID", "00A4040008A00000000310100100", [0x6A82, 0x6A82, 0x6A82, 0x6A82, 0x6A82, 0x6A82]),
    ("SELECT another AID", "00A4040007A000000004101000", [0x6A82, 0x6A82, 0x6A82, 0x6A82, 0x6A82, 0x6A82]),
    (
      "SELECT contact PSE", "00A404000E315041592E5359532E444446303100",
      [0x6A82, 0x6A82, 0x6A82, 0x6A82, 0x6A82, 0x6A82]
    ),
    ("SELECT next", "00A4040207A000000003101000", [0x9000, 0x6A82, 0x9000, 0x6A82, 0x6A82, 0x6A82]),
    ("SELECT without a name", "00A4040000", [0x6700, 0x6700, 0x6700, 0x6700, 0x6700, 0x6700]),
    ("SELECT by file", "00A4000C023F00", [0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86]),
    ("GPO", options, [0x6985, 0x6986, 0x6985, 0x9000, 0x6985, 0x6985]),
    ("GPO with values too short", "80A8000003830100" + "00", [0x6985, 0x6700, 0x6985, 0x6700, 0x6985, 0x6985]),
    ("GPO with a wrong template", "80A80000028400" + "00", [0x6985, 0x6A80, 0x6985, 0x6A80, 0x6985, 0x6985]),
    ("GPO with wrong parameters", "80A80100028300" + "00", [0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86]),
    ("READ RECORD", "00B2010C00", [0x6985, 0x6985, 0x6985, 0x6985, 0x9000, 0x9000]),
    ("READ RECORD that is not there", "00B2020C00", [0x6985, 0x6985, 0x6985, 0x6985, 0x6A83, 0x6A83]),
    ("READ RECORD 0", "00B2000C00", [0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86]),
    ("READ RECORD of the current file", "00B2010400", [0x6A81, 0x6A81, 0x6A81, 0x6A81, 0x6A81, 0x6A81]),
    ("READ RECORD of file 30", "00B201F400", [0x6985, 0x6985, 0x6985, 0x6985, 0x6A83, 0x6A83]),
    ("READ RECORD of file 31", "00B201FC00", [0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86]),
    ("READ RECORD by identifier", "00B2010800", [0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86, 0x6A86]),
    ("GET DATA counter", "80CA9F3600", [0x6985, 0x6A88, 0x6985, 0x9000, 0x9000, 0x9000]),
    ("GET DATA of the profile", "80CA9F1700", [0x6985, 0x9000, 0x6985, 0x9000, 0x9000, 0x9000]),
    ("GET DATA unknown", "80CA9F1300", [0x6985, 0x6A88, 0x6985, 0x6A88, 0x6A88, 0x6A88]),
    ("GENERATE AC", "80AE8000021234" + "00", [0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00]),
    ("unknown instruction", "80FF000000", [0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00, 0x6D00]),
    ("SELECT of class 80", "80A4040007A000000003101000", [0x6E00, 0x6E00, 0x6E00, 0x6E00, 0x6E00, 0x6E00]),
    ("READ RECORD of class 80", "80B2010C00", [0x6E00, 0x6E00, 0x6E00, 0x6E00, 0x6E00, 0x6E00]),
    ("GET DATA of class 00", "00CA9F3600", [0x6E00, 0x6E00, 0x6E00, 0x6E00, 0x6E00, 0x6E00]),
    ("GPO of class 00", "00" + options.dropFirst(2), [0x6E00, 0x6E00, 0x6E00, 0x6E00, 0x6E00, 0x6E00]),
    ("GPO of a reader without qVSDC", withoutEMVMode, [0x6985, 0x6985, 0x6985, 0x6985, 0x6985, 0x6985]),
    ("unknown class", "90A4040000", [0x6E00, 0x6E00, 0x6E00, 0x6E00, 0x6E00, 0x6E00]),
    ("no APDU", "00A404", [0x6700, 0x6700, 0x6700, 0x6700, 0x6700, 0x6700]),
    ("wrong Lc", "00A4040009A000000003101000", [0x6700, 0x6700, 0x6700, 0x6700, 0x6700, 0x6700]),
    ("nothing", "", [0x6700, 0x6700, 0x6700, 0x6700, 0x6700, 0x6700]),
  ]

  @Test(arguments: table.indices)
  func `every command in every state returns the status word of the table`(_ row: Int) throws {
    let (name, command, expected) = Self.table[row]
    for (state, status) in zip(State.allCases, expected) {
      var card = try state.card()
      let answer = try card.answer(command)
      #expect(answer.hasSuffix(status.hex), "\(name) in state \(state) answered \(answer)")
    }
  }

  @Test func `the PPSE has the applications by priority, with kernel and label`() throws {
    var card = Card(image: try shippedImage("visa-two-accounts"))
    let answer = try card.answer(.select(name: FileControlInformation.ppseName))
    let directory = try FileControlInformation(parsing: answer.data).directory
    #expect(directory.map(\.adfName.description) == ["A0000000031010", "A0000000032010"])
    #expect(directory.map(\.priority) == [1, 2])
    #expect(directory.map(\.kernelIdentifier) == [[3], [3]])
    #expect(directory.map(\.label) == ["VISA DEBIT", "VISA ELECTRON"])
  }

  @Test func `partial selection finds the first application, then the second, then none`() throws {
    var card = Card(image: try shippedImage("visa-two-accounts"))
    let partial: [UInt8] = [0xA0, 0, 0, 0, 0x03]
    let first = try card.answer(.select(name: partial))
    #expect(try FileControlInformation(parsing: first.data).dfName.hex == "A0000000031010")
    let second = try card.answer(.select(name: partial, nextOccurrence: true))
    #expect(try FileControlInformation(parsing: second.data).dfName.hex == "A0000000032010")
    #expect(try card.answer(.select(name: partial, nextOccurrence: true)).status == .notFound)
  }

  @Test(arguments: [FieldEvent.powered, .reset, .deselected, .lost])
  func `a field event ends the selection and keeps the use`(_ event: FieldEvent) throws {
    var card = try State.armedSelected.card()
    card.fieldChanged(event, at: Instant(nanoseconds: 0))
    #expect(try card.answer(Self.options) == "6985")
    #expect(card.isArmed == true)
  }

  @Test func `a card with faults in its profile answers like one without`() throws {
    var profile = try CardProfile(json: shippedJSON("visa-cvn18"))
    let honest = try CardImage(compiling: profile)
    profile.faults = [["what": ["kind": "status", "status": "6F00"]]]
    let planned = try CardImage(compiling: profile)
    var one = Card(image: honest)
    var two = Card(image: planned)
    one.arm(try arming(for: honest))
    two.arm(try arming(for: planned))
    for command in [
      "00A404000E325041592E5359532E444446303100", "00A4040007A000000003101000", CardCommandTests.options, "00B2010C00",
      "00B2011C00", "80CA9F3600",
    ] {
      #expect(try one.answer(command) == two.answer(command))
    }
    #expect(two.phase == .completed)
  }
}
