import EMVData
import EMVDecoding
import Fixtures
import Foundation
import ISO7816
import Octets
import RecordingFormats
import Testing
import Transcripts

/// Every recording in the fixtures, decoded, and the terminal data that each of them has.
@Suite("Decoded public recordings")
struct PublicDecodingTests {
  static let files =
    ImportTests.files.filter { !$0.contains("card-simulator") }
    + ((try? Fixtures.names(in: "Transcripts", ending: ".txt")) ?? []).map { "Transcripts/\($0)" }

  /// The faults of the recordings: exchange number from 0, and the text of the decoder.
  static let faults: [String: [String]] = [
    // The terminal sent no values although the card asked for some.
    "Vectors/devnied/VisaCardPpse.txt": ["9F66 has 4 bytes in the list, but 0 are left"],
    // The response is four zeros.
    "Vectors/emv-bertlv/contact-visa-in.txt": ["no status word (6xxx or 9xxx) at the end"],
  ]

  static func nodes(_ transcript: Transcript) -> [DecodedNode] {
    var context = DecodingContext()
    var nodes: [DecodedNode] = []
    for exchange in transcript.exchanges {
      nodes.append(context.decoded(command: exchange.command))
      guard let response = exchange.response else { continue }
      nodes.append(context.decode(command: exchange.command, response: response).response)
    }
    return nodes
  }

  static func isInAnyDictionary(_ tag: ISO7816.Tag, _ kernel: ContactlessKernel?) -> Bool {
    DataElement.named(tag, kernel: kernel) != nil
  }

  @Test(arguments: files)
  func `a public recording decodes with its known faults only, and known tags have names`(_ path: String) throws {
    let transcript = try ImportedTranscript(parsing: ImportTests.text(path)).transcript
    var context = DecodingContext()
    for exchange in transcript.exchanges {
      let command = context.decoded(command: exchange.command)
      let response = exchange.response.map { context.decode(command: exchange.command, response: $0).response }
      let kernel = context.application.flatMap(ContactlessKernel.init)
      for node in command.all + (response?.all ?? []) {
        if let tag = node.tag, node.label.hasSuffix("unknown") || node.label.hasSuffix("unknown template") {
          #expect(!Self.isInAnyDictionary(tag, kernel), "\(node.label)")
        }
        #expect(node.range.upperBound <= max(exchange.command.count, exchange.response?.count ?? 0))
      }
      // One script fetches its response with a proprietary instruction.
      #expect(command.label != "unknown instruction" || path.hasSuffix("wrapperTestSW_61.txt"))
    }
    #expect(Self.nodes(transcript).compactMap { $0.fault?.text } == Self.faults[path] ?? [])
  }

  @Test func `the recording of a phone decodes up to the response that the sniffer lost`() throws {
    var context = DecodingContext()
    for exchange in try PublicRecordings.phone().exchanges {
      let (command, response) = try context.decode(
        command: [UInt8](hex: exchange.capdu), response: [UInt8](hex: exchange.rapdu))
      #expect(command.fault == nil)
      #expect(!command.label.contains("unknown"))
      #expect(response.all.count > 1 || exchange.rapdu.isEmpty)
    }
  }

  static let everything =
    "9F02 Amount, Authorised (Numeric), 9F1A Terminal Country Code, 5F2A Transaction Currency Code, "
    + "9A Transaction Date, 9C Transaction Type, 9F37 Unpredictable Number"
  static let qualifiers = "9F66 Terminal Transaction Qualifiers (TTQ)"
  static let all = "the recording has all values that a terminal needs"

  /// The recordings, with the terminal data that each of them lacks.
  static let terminals: [(path: String, description: String)] = [
    ("Transcripts/apple-pay-visa.txt", all), ("Transcripts/visa-cvn10-terminal.txt", all),
    ("Transcripts/visa-cvn18-terminal.txt", all), ("Transcripts/visa-two-accounts-card.txt", all),
    ("Transcripts/mastercard-cvn16-terminal.txt", all), ("Transcripts/mastercard-cvn16-card.txt", all),
    ("Transcripts/unionpay-fdda-terminal.txt", all), ("Transcripts/discover-cda-terminal.txt", all),
    // The card asks for the unpredictable number only; date and currency are directives.
    (
      "Transcripts/mastercard-magstripe-terminal.txt",
      "decode only: the recording does not have 9F02 Amount, Authorised (Numeric), 9F1A Terminal Country Code, "
        + "9C Transaction Type, 9F37 Unpredictable Number"
    ),
    (
      "Vectors/emv-bertlv/amex-cda-in.txt",
      "decode only: the recording does not have 9F6E Enhanced Contactless Reader Capabilities"
    ),
    // Its terminal is a profile in the head.
    (
      "Transcripts/amex-cda.txt",
      "decode only: the recording does not have 9F6E Enhanced Contactless Reader Capabilities"
    ),
    ("Vectors/emv-bertlv/contact-visa-in.txt", "decode only: the recording does not have \(qualifiers)"),
    (
      "Vectors/emv-bertlv/contactless-mastercard-in.txt",
      "decode only: the recording does not have 9F1A Terminal Country Code"
    ),
    // Its terminal is a profile in the head.
    (
      "Transcripts/contactless-mastercard.txt", "decode only: the recording does not have 9F1A Terminal Country Code"
    ),
    ("Vectors/emv-bertlv/contactless-msd-in.txt", "decode only: the recording does not have \(everything)"),
    ("Vectors/emvpt/test_data.yaml", "decode only: the recording does not have \(qualifiers)"),
    ("Vectors/devnied/FailErrorCard.txt", "decode only: the recording does not have \(everything), \(qualifiers)"),
    ("Vectors/devnied/GeldKartePpse.txt", "decode only: the recording does not have \(everything), \(qualifiers)"),
    ("Vectors/devnied/InteractPpse.txt", "decode only: the recording does not have \(everything), \(qualifiers)"),
    ("Vectors/devnied/LockedCard.txt", "decode only: the recording does not have \(everything), \(qualifiers)"),
    ("Vectors/devnied/MasterCardPpse.txt", "decode only: the recording does not have \(everything)"),
    ("Vectors/devnied/MasterCardPpse2.txt", "decode only: the recording does not have \(everything)"),
    ("Vectors/devnied/VisaCardAid.txt", "decode only: the recording does not have \(everything), \(qualifiers)"),
    ("Vectors/devnied/VisaCardPpse.txt", "decode only: the recording does not have \(everything), \(qualifiers)"),
    ("Vectors/devnied/VisaCardPpse2.txt", "decode only: the recording does not have \(everything), \(qualifiers)"),
    ("Vectors/devnied/wrapperTestSW_61.txt", "decode only: the recording does not have \(everything), \(qualifiers)"),
    ("Vectors/devnied/wrapperTestSW_6C.txt", "decode only: the recording does not have \(everything), \(qualifiers)"),
  ]

  @Test(arguments: terminals.indices)
  func `a recording without enough terminal data names the missing tags`(_ row: Int) throws {
    let (path, description) = Self.terminals[row]
    let transcript = try ImportedTranscript(parsing: ImportTests.text(path)).transcript
    #expect(RecordedTerminalData(transcript).description == description, "\(path)")
  }

  @Test func `every recording has its row`() {
    #expect(Set(Self.terminals.map(\.path)) == Set(Self.files))
  }
}
