import EMVCard
import EMVData
import EMVDecoding
import EMVTerminal
import Fixtures
import Foundation
import ISO7816
import Octets
import RecordingFormats
import TestSupport
import Testing
import Transcripts

/// Feeds the files of `Fixtures/Crashers` to every reader. What comes of it does not count, only that something does.
@Suite("Crashers", .blocks, .timeLimit(.minutes(20)))
struct CrasherTests {
  static let names = (try? Fixtures.names(in: "Crashers", ending: "")) ?? []

  static func octets(_ name: String) throws -> [UInt8] { [UInt8](try Fixtures.data("Crashers/\(name)")) }

  /// The file as it is, and each of its lines that is hexadecimal, as bytes.
  static func inputs(_ file: [UInt8]) -> [[UInt8]] {
    [file]
      + String(decoding: file, as: UTF8.self).split(whereSeparator: \.isNewline).compactMap { try? [UInt8](hex: $0) }
  }

  @Test(arguments: names)
  func `No file traps a reader of text`(_ name: String) throws {
    let file = try Self.octets(name)
    let text = String(decoding: file, as: UTF8.self)
    _ = try? Transcript(parsing: text)
    for format in RecordingFormat.shipped where format.read != nil {
      read(try? ImportedTranscript(parsing: text, as: format))
    }
    read(try? ImportedTranscript(parsing: text))
    _ = try? CardProfile(json: file)
    _ = try? CardImage(json: file)
    _ = try? TerminalConfiguration(json: file)
    _ = try? [UInt8](hex: text)
    _ = try? Amount(text, exponent: 2)
  }

  private func read(_ imported: ImportedTranscript?) {
    guard let transcript = imported?.transcript else { return }
    _ = transcript.redacted()
    _ = RecordedTerminalData(transcript)
    var responder = SilentCard()
    _ = CardReplay(transcript).run(&responder)
  }

  @Test(arguments: names)
  func `No file traps a reader of bytes`(_ name: String) throws {
    for octets in Self.inputs(try Self.octets(name)) {
      _ = try? [TLVNode](parsing: octets.span)
      _ = DecodedNode(dataObjects: octets)
      _ = DecodedNode(dataObjectList: octets)
      _ = DecodedNode(answerToReset: octets)
      _ = DecodedGuess(octets).description
      _ = try? DataObjectList(parsing: octets)
      _ = try? ApplicationFileLocator(parsing: octets)
      _ = try? FileControlInformation(parsing: octets)
      _ = try? AnswerToReset(parsing: octets)
      _ = try? CommandLayout(parsing: octets.span)
      _ = try? ResponseAPDU(parsing: octets.span)
      _ = SecretCommands.blanked(octets)
      _ = AccountNumberSearch.mayHoldAccountNumber(octets)
      for element in DataElement.all { _ = DataElement.details(of: element.tag, octets) }
      var context = DecodingContext()
      _ = context.decode(command: octets, response: octets)
      _ = context.decode(command: [0x00, 0xB2, 0x01, 0x0C, 0x00], response: octets + [0x90, 0x00])
      _ = context.decode(command: [0x80, 0xA8, 0x00, 0x00], response: [0x77] + octets + [0x90, 0x00])
    }
  }

  @Test func `The files are there, and the README names their kinds`() throws {
    #expect(Self.names.count > 20)
    let readme = String(decoding: try Fixtures.data("Crashers/README.md"), as: UTF8.self)
    for name in Self.names where name != "README.md" {
      let kind = name.prefix { $0 != "-" }
      #expect(readme.contains(name) || readme.contains("`\(kind)-*"), "\(name)")
    }
  }
}

/// A card that only ever says that it knows nothing.
private struct SilentCard: CommandResponder, ~Copyable {
  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    response.copy([0x6D, 0x00].span, to: 0)
    return 2
  }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {}
}
