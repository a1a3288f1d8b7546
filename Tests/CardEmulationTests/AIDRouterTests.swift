import CardEmulation
import ISO7816
import Links
import Octets
import TestSupport
import Testing

@Suite struct AIDRouterTests {
  static let visa = "A0000000031010"
  static let directory = "325041592E5359532E4444463031"
  static let proprietary = "F00102030405"

  static func select(_ name: String) -> String {
    "00A40400" + [UInt8(name.count / 2)].hex + name + "00"
  }

  static func declared(_ names: String...) throws -> DeclaredAIDs {
    try DeclaredAIDs(names.map { try [UInt8](hex: $0) })
  }

  /// The declared name, the name that the terminal selects, and whether the command reaches the card.
  static let names: [(declared: String, selected: String, isRouted: Bool)] = [
    (visa, visa, true),
    (visa, visa + "01", true),
    (visa, "A000000003101F", false),
    (visa, "A000000003", false),
    ("A000000003", visa, true),
    ("A000000003", "A000000003", true),
    ("A000000003", "A000000004", false),
    ("A00000000310", visa, true),
    ("A00000000310", "A0000000032010", false),
    (directory, directory, true),
    (visa, directory, false),
    (proprietary, proprietary, true),
    (visa, "A0000000", false),
    (visa, visa + "00112233445566778899", false),
  ]

  @Test(arguments: names.indices)
  func `a declared AID, RID or prefix reaches the card, and any other name is answered with 6A82`(_ row: Int) throws {
    let (entry, selected, isRouted) = Self.names[row]
    let journal = ResponderJournal()
    let answer = try exchange([Self.select(selected)], declared: Self.declared(entry), journal)
    #expect(answer == [isRouted ? "9000" : "6A82"])
    #expect(journal.commands.count == (isRouted ? 1 : 0))
  }

  /// Commands, responses, and what reaches the card: field events by name, commands by their second byte.
  static let flows: [(commands: [String], answers: [String], received: [String])] = [
    (["80CA9F3600"], ["6985"], []),
    ([select(visa), "80CA9F3600"], ["9000", "9000"], ["A4", "CA"]),
    ([select(visa), select(visa)], ["9000", "9000"], ["A4", "A4"]),
    ([select(directory), select(visa)], ["9000", "9000"], ["A4", "A4"]),
    ([select(visa), select(proprietary)], ["9000", "9000"], ["A4", "deselected", "A4"]),
    ([select(visa), select(directory)], ["9000", "9000"], ["A4", "deselected", "A4"]),
    ([select(visa), select("A0000000041010"), "80CA9F3600"], ["9000", "6A82", "6985"], ["A4", "deselected"]),
    ([select(directory), select("A0000000041010")], ["9000", "6A82"], ["A4"]),
    (["00A40400FF"], ["6A82"], []),
    (["00A4040007A0"], ["6700"], []),
    (["00A40400"], ["6A82"], []),
    (["00A4000002"], ["6985"], []),
    (["80A40400", "00"], ["6985", "6985"], []),
    ([select(visa), "00A4000002", "00"], ["9000", "9000", "9000"], ["A4", "A4", "short"]),
    (["04A40400" + "07" + visa], ["9000"], ["A4"]),
  ]

  @Test(arguments: flows.indices)
  func `every command is routed or refused by the present selection`(_ row: Int) throws {
    let (commands, answers, received) = Self.flows[row]
    let journal = ResponderJournal()
    let declared = try Self.declared(Self.visa, Self.directory, Self.proprietary)
    #expect(try exchange(commands, declared: declared, journal) == answers)
    let names = journal.entries.dropFirst().dropLast().map { entry in
      switch entry {
      case .command(let octets): octets.count > 1 ? [octets[1]].hex : "short"
      case .field(let event): "\(event)"
      }
    }
    #expect(names == received)
  }

  @Test(arguments: [FieldEvent.powered, .reset, .deselected, .lost])
  func `every field event clears the selection`(_ event: FieldEvent) throws {
    var card = RoutedResponder(ScriptedResponder(otherwise: [0x90, 0x00]), declared: try Self.declared(Self.visa))
    #expect(try answer(&card, Self.select(Self.visa)) == "9000")
    #expect(card.router.selected == AID([0xA0, 0, 0, 0, 3, 0x10, 0x10]))
    card.fieldChanged(event, at: Instant(nanoseconds: 0))
    #expect(try answer(&card, "80CA9F3600") == "6985")
  }

  @Test func `a declaration throws all its problems in one error`() throws {
    let entries = ["A0000000", Self.visa, "F001020304", Self.visa, Self.visa + "00112233445566778899"]
    let octets = try entries.map { try [UInt8](hex: $0) }
    let error = #expect(throws: DeclaredAIDsError.self) { try DeclaredAIDs(octets) }
    #expect(
      error?.problems == [
        .wrongLength(place: 0, count: 4), .shortProprietary(place: 2, name: "F001020304"),
        .duplicate(place: 3, first: 1, name: Self.visa), .wrongLength(place: 4, count: 17),
      ])
    #expect(error?.description.split(separator: ";").count == 4)
    #expect(#expect(throws: DeclaredAIDsError.self) { try DeclaredAIDs([]) }?.problems == [.empty])
  }

  /// The shortest and the longest entry of each category.
  @Test(arguments: ["A000000003", "D000000003", "A0000000031010001122334455667788", "F00102030405"])
  func `a declaration accepts entries of the shortest and the longest length`(_ name: String) throws {
    #expect(try Self.declared(name).entries.map(\.description) == [name])
  }

  @Test func `a routed card gets the call that follows its response`() throws {
    let calls = CountingResponder.Calls()
    var routed = RoutedResponder(CountingResponder(calls), declared: try Self.declared("A000000003"))
    routed.responseSent()
    #expect(calls.count == 1)
  }

  private func exchange(
    _ commands: [String], declared: DeclaredAIDs, _ journal: ResponderJournal
  ) throws -> [String] {
    let card = ScriptedResponder(otherwise: [0x90, 0x00], journal: journal)
    var routed = RoutedResponder(card, declared: declared)
    routed.fieldChanged(.powered, at: Instant(nanoseconds: 0))
    let answers = try commands.map { try answer(&routed, $0) }
    routed.fieldChanged(.lost, at: Instant(nanoseconds: 0))
    return answers
  }

  private func answer(_ card: inout RoutedResponder<ScriptedResponder>, _ command: String) throws -> String {
    let octets = try [UInt8](hex: command)
    var buffer = [UInt8](repeating: 0, count: shortResponseCapacity)
    let count = buffer.withMutableOctets { room in
      card.respond(to: octets.span, at: Instant(nanoseconds: 0), into: &room)
    }
    return Array(buffer[..<count]).hex
  }
}
