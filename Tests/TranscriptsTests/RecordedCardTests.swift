import EMVData
import Fixtures
import Foundation
import ISO7816
import Links
import Octets
import Synchronization
import TestSupport
import Testing
import Transcripts

@Suite("Recorded cards at a terminal")
struct RecordedCardTests {
  static let list = """
    00A404000E325041592E5359532E444446303100
    6F009000
    00B2010C00
    70019000
    00B2020C00
    70029000
    00B2010C00
    70039000

    """

  /// A link that only notes that it was stopped.
  final class StoppedLink: EmulationLink {
    let stops = Mutex(0)
    func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {}
    func stop() { stops.withLock { $0 += 1 } }
  }

  static func card(
    _ matching: RecordedCard.Matching, _ link: StoppedLink = StoppedLink(), of text: String = list
  ) throws -> RecordedCard {
    RecordedCard(
      try Transcript(parsing: text), matching: matching, unknownStatus: StatusWord(rawValue: 0x6D00), link: link)
  }

  static func response(of card: inout RecordedCard, to command: String, room: Int = 258) throws -> String {
    var buffer = [UInt8](repeating: 0, count: room)
    let sent = try [UInt8](hex: command)
    let count = buffer.withMutableOctets {
      card.respond(to: sent.span, at: Instant(nanoseconds: 0), into: &$0)
    }
    return Array(buffer[..<count]).hex
  }

  @Test func `the longest match answers in any order, and equal matches in the recorded order`() throws {
    var card = try Self.card(.longest)
    let sent = ["00B2020C00", "00B2010C00", "00B2010C00", "00B2010C", "00A4040007A000000003101000", "00B2030C00", "00"]
    let received = try sent.map { try Self.response(of: &card, to: $0) }
    #expect(received == ["70029000", "70039000", "70019000", "70039000", "6F009000", "6D00", "6D00"])
    #expect(card.answeredCount == 5 && card.unknownHeaders == ["00B2030C", "00"])
  }

  @Test func `another kind of cryptogram is answered with the recorded one`() throws {
    var card = try Self.card(.longest, of: "80AE80000100\n77009000\n")
    #expect(try Self.response(of: &card, to: "80AE90000100") == "77009000")
  }

  @Test func `a strict card answers the recorded commands only, and nothing after a difference`() throws {
    var card = try Self.card(.strict)
    let first = "00A404000E325041592E5359532E444446303100"
    let sent = [first, "00B2020C00", "00B2010C00"]
    #expect(try sent.map { try Self.response(of: &card, to: $0) } == ["6F009000", "6D00", "6D00"])
    #expect(card.difference?.exchange == 2 && card.unknownHeaders == ["00B2020C", "00B2010C"])
    card.fieldChanged(.powered, at: Instant(nanoseconds: 0))
    #expect(try Self.response(of: &card, to: first) == "6F009000")
  }

  @Test(arguments: RecordedCard.Matching.allCases)
  func `the link ends when the field goes off after an answer, and not before`(
    _ matching: RecordedCard.Matching
  ) throws {
    let link = StoppedLink()
    var card = try Self.card(matching, link)
    card.fieldChanged(.powered, at: Instant(nanoseconds: 0))
    card.fieldChanged(.lost, at: Instant(nanoseconds: 0))
    #expect(link.stops.withLock { $0 } == 0)
    card.fieldChanged(.powered, at: Instant(nanoseconds: 0))
    #expect(try Self.response(of: &card, to: "00A404000E325041592E5359532E444446303100") == "6F009000")
    card.fieldChanged(.lost, at: Instant(nanoseconds: 0))
    #expect(link.stops.withLock { $0 } == 1)
  }

  @Test func `a recorded field event does not begin the recording again`() throws {
    let text = Self.list.replacing("00B2020C00", with: "#@ field: lost\n#@ field: powered\n00B2020C00")
    let link = StoppedLink()
    var card = try Self.card(.strict, link, of: text)
    for command in ["00A404000E325041592E5359532E444446303100", "00B2010C00"] {
      _ = try Self.response(of: &card, to: command)
    }
    card.fieldChanged(.lost, at: Instant(nanoseconds: 0))
    card.fieldChanged(.powered, at: Instant(nanoseconds: 0))
    #expect(try Self.response(of: &card, to: "00B2020C00") == "70029000")
    #expect(link.stops.withLock { $0 } == 0)
  }

  @Test func `a response that does not fit is an unknown command, and the header of a flood is kept 20 times`() throws {
    var card = try Self.card(.longest, of: "00B2010C00\n\(String(repeating: "00", count: 300))9000\n")
    for _ in 0..<30 { #expect(try Self.response(of: &card, to: "00B2010C00") == "6D00") }
    #expect(card.unknownHeaders.count == RecordedCard.unknownLimit)
  }

  static let presentable: [(String, String?)] = [
    (list, nil),
    ("00B2010C00\n70125A0847617390010100105F24033012315F2800029000\n", nil),
    ("00B2010C00\n700A5A0899999000000000139000\n", nil),
    ("00B2010C00\n700A5A0854133300890200119000\n", "the account number 541333******0011"),
    ("# PAN 5413330089020011\n00B2010C00\n70029000\n", "the account number 541333******0011"),
    ("00B2010C00\n70069F4603AABBCC9000\n", "the data element 9F46"),
    ("00B2010C00\n70069F46030000009000\n", nil), ("00B2010C00\n70065F2003414C459000\n", "the data element 5F20"),
    ("00B2010C00\n70065F20035858589000\n", nil),
    ("# PAN 4761739001010010\n00B2010C00\n70069F4603AABBCC9000\n", "the data element 9F46"),
    ("# PAN 4761739001010010\n00CA006600\n54133300890200119000\n", "16 digits that may be an account number"),
    ("00CA006600\n54133300890200119000\n", "16 digits that may be an account number"),
  ]

  @Test(arguments: presentable)
  func `a recording of a card that is not shipped is not presented`(_ text: String, _ reason: String?) throws {
    let shipped = try #require(PrimaryAccountNumber(digits: "4761739001010010"))
    let refusal = Disclosure(showsAll: true, testCards: [shipped]).refusal(toPresent: try Transcript(parsing: text))
    #expect(reason.map { refusal?.contains($0) == true } ?? (refusal == nil), "\(refusal ?? "nil")")
  }

  @Test(arguments: [
    "visa-cvn18-terminal", "mastercard-cvn16-terminal", "contactless-mastercard", "apple-pay-visa", "amex-cda",
  ])
  func `a redacted recording may be presented`(_ name: String) throws {
    let transcript = try Transcript(parsing: String(decoding: Fixtures.data("Transcripts/\(name).txt"), as: UTF8.self))
    #expect(Disclosure(showsAll: false, testCards: []).refusal(toPresent: transcript.redacted()) == nil)
  }
}
