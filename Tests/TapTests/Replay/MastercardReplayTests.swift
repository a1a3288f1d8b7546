import Fixtures
import Foundation
import Octets
import TestSupport
import Testing
import Transcripts

/// A public recording of an offline approval with CDA, in `Fixtures/Transcripts`.
@Suite("The recorded offline approval of a Mastercard card", .blocks, .timeLimit(.minutes(20)))
struct MastercardReplayTests {
  private static let path = Fixtures.url("Transcripts/contactless-mastercard.txt").path

  @Test func `it is approved offline, and the replay names what was not recorded`() throws {
    let run = try TapProgram.run("replay", Self.path)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(run.errors.contains("exchange 1 was not recorded: the recording begins with SELECT"), "\(run.errors)")
    #expect(run.errors.contains("exchange 6 was not recorded: the recorded terminal did not read"), "\(run.errors)")
    #expect(!run.errors.contains("not judged"))
    let accept = try TapProgram.run(
      "accept", "--reader", "replay:\(Self.path)", "--amount", "100.01", "--currency", "AUD", "--issuer", "none")
    #expect(accept.code == 0, "\(accept.errors)")
    #expect(accept.output.contains("cryptogram: TC D58B731AF5885C06"), "\(accept.output)")
    #expect(accept.output.contains("offline data authentication: passed"), "\(accept.output)")
  }

  @Test func `its recorded exchanges are those of the public recording`() throws {
    let transcript = try Transcript(parsing: String(contentsOfFile: Self.path, encoding: .utf8))
    let recorded = transcript.exchanges.filter { !$0.notes.contains { $0.key == .assumed } }
    let text = String(decoding: try Fixtures.data("Vectors/emv-bertlv/contactless-mastercard-in.txt"), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).map(String.init)
    #expect(recorded.flatMap { [$0.command.hex, $0.response?.hex ?? ""] } == lines)
  }

  /// Changes of the recording, and what the replay reports. The wrong certificate is known before the cryptogram: the
  /// terminal sets byte 1 bit 3 of tag 95 and asks for no signature. The wrong signature ends the application.
  static let changes: [(name: String, changes: [(from: String, to: String)], message: String)] = [
    ("tag 90", [("9081F87AF7", "9081F87AF6")], "exchange 9: the command differs"),
    ("tag 8F", [("8F01EF", "8F01EE")], "exchange 9: the command differs"),
    ("tag 9F32", [("9F3203010001", "9F3203010003")], "exchange 9: the command differs"),
    ("tag 9F46", [("9F4681903826", "9F4681903827")], "exchange 9: the command differs"),
    ("tag 9F47", [("9F4703010001", "9F4703010003")], "exchange 9: the command differs"),
    ("tag 9F48", [("9F482A8F94", "9F482A8F95")], "exchange 9: the command differs"),
    ("a signed record", [("5F3401018C", "5F3401028C")], "exchange 9: the command differs"),
    ("tag 82", [("771682025980", "771682025981")], "exchange 9: the command differs"),
    ("tag 9F4A", [("9F4A0182", "9F4A0184")], "the recording goes on with GENERATE AC"),
    ("tag 9F4B", [("9F4B8190124C", "9F4B8190124D")], "\"end application\", not \"approved\""),
    ("tag 9F10", [("29FF9000", "29FE9000")], "\"end application\", not \"approved\""),
    ("an unknown tag 9F27", [("9F270140", "9F2701C0")], "\"end application\", not \"approved\""),
    ("a tag 9F27 that was not signed", [("9F270140", "9F270180")], "\"end application\", not \"approved\""),
    ("tag 9F37", [("000EEC85", "000EEC86")], "\"end application\", not \"approved\""),
    (
      "tag 9F02", [("#@ amount: 100.01", "#@ amount: 100.02"), ("2B000000010001", "2B000000010002")],
      "\"end application\", not \"approved\""
    ),
  ]

  @Test func `one changed byte ends the payment, and never in an approval`() throws {
    let scratch = try Scratch()
    let text = try String(contentsOfFile: Self.path, encoding: .utf8)
    let files = try Self.changes.enumerated().map { index, row in
      let changed = row.changes.reduce(text) { $0.replacingOccurrences(of: $1.from, with: $1.to) }
      #expect(changed != text, "\(row.name)")
      return try scratch.write("\(index + 10).txt", changed)
    }
    let run = try TapProgram.run(arguments: ["replay"] + files)
    #expect(run.code == 2)
    let lines = run.output.split(separator: "\n")
    try #require(lines.count == Self.changes.count, "\(run.output)")
    for (line, row) in zip(lines, Self.changes) { #expect(line.contains(row.message), "\(row.name): \(line)") }
  }
}
