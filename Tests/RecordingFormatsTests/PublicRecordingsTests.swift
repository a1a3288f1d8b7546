import EMVData
import EMVDecoding
import Fixtures
import Foundation
import ISO7816
import Octets
import Testing
import Transcripts

@Suite("Recordings of real cards")
struct PublicRecordingsTests {
  @Test func `the GPO data of a phone are split by its PDOL`() throws {
    let exchanges = try PublicRecordings.phone().exchanges
    try #require(exchanges.count == 4)
    var context = DecodingContext()
    for exchange in exchanges.prefix(2) {
      let (command, response) = try context.decode(
        command: [UInt8](hex: exchange.capdu), response: [UInt8](hex: exchange.rapdu))
      #expect(command.fault == nil && response.fault == nil)
      #expect(!command.all.contains { $0.kind == .octets } && !response.all.contains { $0.kind == .octets })
    }
    let options = context.decoded(command: try [UInt8](hex: exchanges[2].capdu))
    #expect(options.fault == nil)
    let data = try #require(options.children.first { $0.label == "GPO data" })
    #expect(
      data.children.map(\.title) == [
        "9F66 Terminal Transaction Qualifiers (TTQ): 32804000", "9F02 Amount, Authorised (Numeric): 000000000100",
        "9F03 Amount, Other (Numeric): 000000000000", "9F1A Terminal Country Code: 0826",
        "95 Terminal Verification Results (TVR): 0000000000", "5F2A Transaction Currency Code: 0826",
        "9A Transaction Date: 2021-10-14", "9C Transaction Type: 00", "9F37 Unpredictable Number: 124D3DCA",
        "9F4E Merchant Name and Location: 0000000000000000000000000000000000000000",
      ])
    let read = context.decoded(command: try [UInt8](hex: exchanges[3].capdu))
    #expect(read.all.contains { $0.title == "P2: 1C SFI 3" })
  }

  @Test func `the truncated response of a phone decodes up to its end`() throws {
    let exchange = try PublicRecordings.phone().exchanges[2]
    let octets = try [UInt8](hex: exchange.rapdu)
    let node = DecodingContext().decoded(response: octets, to: try [UInt8](hex: exchange.capdu))
    let template = try #require(node.children.first)
    #expect(
      template.children.filter { $0.kind == .object }.map(\.tag) == [0x82, 0x94, 0x9F36, 0x9F26, 0x9F10])
    #expect(node.all.contains { $0.text == "the length at offset 1 states 98 bytes, but 62 are left" })
    #expect(node.all.contains { $0.text == "the input ends inside the tag at offset 63" })
    #expect(node.all.contains { $0.details.contains { $0.hasPrefix("Visa layout: key index 63, CVN 74") } })
    #expect(DecodedGuess(octets).kind == .dataObjects)
  }

  @Test func `the recording of a phone has all terminal data and replays until it is torn`()
    throws
  {
    let text = String(decoding: try Fixtures.data("Transcripts/apple-pay-visa.txt"), as: UTF8.self)
    let transcript = try Transcript(parsing: text)
    #expect(transcript.text == text)
    #expect(transcript.redacted().exchanges == transcript.exchanges)
    let data = RecordedTerminalData(transcript)
    #expect(data.isComplete)
    #expect(data[.unpredictableNumber] == [0x12, 0x4D, 0x3D, 0xCA])
    #expect(data.clock?.description == "2021-10-14T00:00:00")
    let phone = try PublicRecordings.phone()
    for (recorded, original) in zip(transcript.exchanges, phone.exchanges) {
      #expect(recorded.command.hex == original.capdu)
      #expect(recorded.response == nil || recorded.response?.hex == original.rapdu)
    }
  }

  @Test(arguments: PublicRecordings.devnied)
  func `every recording of a card decodes without a fault`(_ name: String) throws {
    var context = DecodingContext()
    for exchange in try PublicRecordings.devnied(name) {
      let answer = context.decoded(response: exchange.response, to: exchange.command)
      #expect(answer.fault == nil)
      #expect(answer.range == 0..<exchange.response.count)
      #expect(answer.children.last?.label == "SW")
      guard let command = exchange.command else { continue }
      let question = context.decoded(command: command)
      // One terminal sent no values although the card asked for some.
      #expect(question.fault == nil || name == "VisaCardPpse.txt" && command.hex == "80A8000002830000")
      // One script fetches its response with a proprietary instruction.
      #expect(question.label != "unknown instruction" || name == "wrapperTestSW_61.txt")
      context.learn(command: command, response: exchange.response)
    }
  }

  @Test func `the transaction log of a card is split by the log format of the card`() throws {
    var context = DecodingContext()
    var records: [DecodedNode] = []
    for exchange in try PublicRecordings.devnied("VisaCardAid.txt") {
      let (_, answer) = context.decode(command: exchange.command ?? [], response: exchange.response)
      records += answer.children.filter { $0.label == "log record" }
    }
    #expect(records.count == 16)
    #expect(
      records.first?.children.map(\.title) == [
        "9F02 Amount, Authorised (Numeric): 000000000002", "9F27 Cryptogram Information Data (CID): 40",
        "9F1A Terminal Country Code: 0250", "5F2A Transaction Currency Code: 0978", "9A Transaction Date: 2014-07-25",
        "9C Transaction Type: 00",
      ])
  }

  @Test func `the fixtures have all recordings of cards`() {
    #expect(PublicRecordings.devnied.count == 11)
  }

  @Test func `every recording becomes a transcript, and redaction keeps its structure`() throws {
    for name in PublicRecordings.devnied {
      let exchanges = try PublicRecordings.devnied(name).filter { $0.command != nil }
        .map { Transcript.Exchange(command: $0.command ?? [], response: $0.response) }
      let transcript = Transcript(exchanges: exchanges)
      let redacted = transcript.redacted()
      #expect(try Transcript(parsing: redacted.text) == redacted, "\(name)")
      #expect(redacted.redacted() == redacted, "\(name)")
      #expect(redacted.exchanges.map(\.response?.count) == exchanges.map(\.response?.count), "\(name)")
      for number in ["4999999999999999", "5599999999999999", "5200000000000000", "6725904415000011113"] {
        #expect(!redacted.text.contains(number), "\(name)")
      }
    }
  }
}
