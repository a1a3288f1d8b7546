import Foundation
import Links
import Octets
import Testing
import Transcripts

/// A recording that was cut off is recognised.
@Suite("Truncated recordings")
struct TruncationTests {
  static func recorded(torn: Bool = false) throws -> Transcript {
    let responses = SampleTap.pairs.prefix(torn ? 3 : 4).map { SampleTap.octets($0.1) }
    var channel = RecordingChannel(ScriptedChannel(responses: responses), clock: ManualClock())
    for pair in SampleTap.pairs { _ = try? channel.send(pair.0) }
    return channel.transcript
  }

  @Test(arguments: [false, true])
  func `a recorder announces the number of exchanges and writes the end`(_ torn: Bool) throws {
    let transcript = try Self.recorded(torn: torn)
    #expect(transcript[.exchangeCount] == "4")
    #expect(transcript.text.hasSuffix("#@ end: 4\n"))
    #expect(transcript.truncation == nil)
    let read = try Transcript(parsing: transcript.text)
    #expect(read == transcript && read.truncation == nil)
    #expect(try Transcript(json: Array(transcript.json.utf8)).truncation == nil)
    #expect(transcript.redacted().truncation == nil)
  }

  @Test func `a recording without its last line is incomplete, wherever it is cut`() throws {
    let lines = try Self.recorded().text.split(separator: "\n")
    let head = try #require(lines.firstIndex { $0.hasPrefix("#@ exchanges") })
    for count in (head + 1)..<lines.count {
      let cut = try Transcript(parsing: lines.prefix(count).joined(separator: "\n"))
      let truncation = try #require(cut.truncation, "\(count) lines")
      #expect("\(truncation)".hasPrefix("the recording is incomplete: "))
    }
  }

  @Test(arguments: [
    ("#@ exchanges: 2\n00A40400\n9000\n#@ end: 1\n", Transcript.Truncation.exchangeCount(recorded: 2, present: 1)),
    ("00A40400\n9000\n#@ end: 2\n", .exchangeCount(recorded: 2, present: 1)),
    ("#@ exchanges: 1\n00A40400\n9000\n", .missingEnd(present: 1)),
    ("#@ outcome: approved\n00A40400\n", .missingResponse(exchange: 1, outcome: "approved")),
  ])
  func `the reason names the missing part`(_ text: String, _ truncation: Transcript.Truncation) throws {
    #expect(try Transcript(parsing: text).truncation == truncation)
  }

  @Test(arguments: [
    "", "00A40400\n9000\n", "00A40400\n", "#@ outcome: approved\n00A40400\n9000\n",
    "#@ outcome: failed\n00A40400\n#@ torn: cardRemoved\n",
  ])
  func `a recording without the directives is whole unless its last response is missing`(_ text: String) throws {
    #expect(try Transcript(parsing: text).truncation == nil)
  }

  @Test(arguments: ["exchanges", "end"])
  func `a number of exchanges is read within its range`(_ key: String) throws {
    let error = #expect(throws: TranscriptError.self) { try Transcript(parsing: "#@ \(key): 100001\n") }
    #expect(error?.description == "line 1: the directive \(key) is \"100001\": a number from 0 to 100000 is expected")
  }

  @Test func `a changed transcript can be marked as complete again`() throws {
    var transcript = try Self.recorded()
    transcript.exchanges.removeLast()
    #expect(transcript.truncation == .exchangeCount(recorded: 4, present: 3))
    transcript.markComplete()
    #expect(transcript.truncation == nil)
    #expect(transcript.text.components(separatedBy: "#@ end").count == 2)
  }
}
