import ISO7816
import Links
import Octets
import TestSupport
import Testing
import VirtualCard

struct ReaderCommandsTests {
  /// Commands of class FF at a card with the identifier 08112233 and the historical bytes 4A4B, and the responses of PC/SC
  /// part 3, 3.2.2.1.3, as the manuals of contactless readers (ACS ACR1281, ACR122U) list them.
  static let exchanges: [(command: String, response: String)] = [
    ("FFCA000000", "081122339000"), ("FFCA000004", "081122339000"), ("FFCA000002", "6C04"),
    ("FFCA000010", "081122336282"), ("FFCA0000000000", "081122339000"),
    ("FFCA010000", "07788070024A4B9000"), ("FFCA010007", "07788070024A4B9000"), ("FFCA010001", "6C07"),
    ("FFCA0000", "6700"), ("FFCA00000101", "6700"), ("FFCA0000FF01", "6700"), ("FFCA", "6700"),
    ("FFCA020000", "6A81"), ("FFCA000100", "6A81"), ("FFB0000010", "6D00"), ("FF82000006FFFFFFFFFFFF", "6D00"),
  ]

  @Test(arguments: exchanges)
  func `a command of class FF is answered by the reader and never reaches the card`(
    exchange: (command: String, response: String)
  ) throws {
    let journal = ResponderJournal()
    var card = ScriptedResponder(journal: journal)
    var session = VPCDCardSession(
      answerToReset: AnswerToReset.contactless(historicalBytes: [0x4A, 0x4B]), identifier: [0x08, 0x11, 0x22, 0x33])
    let command = try [UInt8](hex: exchange.command)
    try session.receive(command.span, at: Instant(nanoseconds: 0), for: &card)
    #expect(session.withAnswer { $0.array.dropFirst(2) }.hex == exchange.response)
    #expect(journal.entries == [.field(.powered)])
  }

  @Test func `an ATR without historical bytes and bytes that are no ATR give the shortest ATS`() throws {
    for reset in [AnswerToReset.contactless(), [0x00, 0x00]] {
      let reader = ReaderCommands(identifier: [1, 2, 3, 4, 5, 6, 7], answerToReset: reset)
      #expect(reader.response(to: [0xFF, 0xCA, 0x01, 0x00, 0x00]).encoded.hex == "05788070029000")
    }
  }

  @Test func `a link without an identifier draws a random one of 4 bytes that begins with 08`() throws {
    let identifiers = try (0..<2).map { _ in
      let reader = SimulatedVPCD()
      let link = try VPCDLink(port: reader.port)
      let card = serving(link, ScriptedResponder())
      reader.accept()
      let answer = try #require(reader.exchange([0xFF, 0xCA, 0x00, 0x00, 0x00]))
      link.stop()
      try card.join()
      return answer
    }
    for answer in identifiers {
      #expect(answer.count == 6)
      #expect(answer.first == 0x08)
      #expect(answer.suffix(2) == [0x90, 0x00])
    }
    #expect(identifiers[0] != identifiers[1])
  }
}
