import Fixtures
import Foundation
import Octets
import TestSupport
import Testing
import Transcripts

/// A public recording of an online request with CDA, in `Fixtures/Transcripts`.
@Suite("The recorded online request of an American Express card", .blocks, .timeLimit(.minutes(20)))
struct AmericanExpressReplayTests {
  private static let path = Fixtures.url("Transcripts/amex-cda.txt").path

  @Test func `kernel 4 ends it as recorded: online, with a right signature`() throws {
    let run = try TapProgram.run("replay", Self.path)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(!run.errors.contains("not judged") && !run.errors.contains("was not recorded"), "\(run.errors)")
    let accept = try TapProgram.run(
      "accept", "--reader", "replay:\(Self.path)", "--amount", "120.00", "--currency", "AUD", "--issuer", "none")
    #expect(accept.output.contains("cryptogram: ARQC 51F4F65DDE43732D"), "\(accept.output)")
    #expect(accept.output.contains("offline data authentication: passed"), "\(accept.output)")
  }

  @Test func `its exchanges are those of the public recording`() throws {
    let transcript = try Transcript(parsing: String(contentsOfFile: Self.path, encoding: .utf8))
    let text = String(decoding: try Fixtures.data("Vectors/emv-bertlv/amex-cda-in.txt"), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).map(String.init)
    #expect(transcript.exchanges.flatMap { [$0.command.hex, $0.response?.hex ?? ""] } == lines)
  }

  /// Changes of the recording, and what the replay reports.
  @Test(arguments: [
    ("9081906AE9", "9081906AE8", "the command differs"), ("9F4681804B", "9F4681804A", "the command differs"),
    ("5F30020702", "5F30020703", "the command differs"), ("9F4B705BB0", "9F4B705BB1", "\"end application\""),
    ("9F2701809F36", "9F2701409F36", "\"end application\""),
  ])
  func `one changed byte does not end as recorded`(_ old: String, _ new: String, _ message: String) throws {
    let scratch = try Scratch()
    let text = try String(contentsOfFile: Self.path, encoding: .utf8)
    let changed = text.replacingOccurrences(of: old, with: new)
    #expect(changed != text)
    let replay = try TapProgram.run("replay", try scratch.write("changed.txt", changed))
    #expect(replay.code == 2 && replay.output.contains(message), "\(replay.output)")
  }
}
