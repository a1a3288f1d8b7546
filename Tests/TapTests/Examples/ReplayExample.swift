import Fixtures
import PaymentSimulation
import Testing
import Transcripts

extension ExampleTests {
  @Test func `the page of replays: a recording is replayed`() async throws {
    let text = String(decoding: try Fixtures.data("Transcripts/visa-cvn18-terminal.txt"), as: UTF8.self)
    let profile = [UInt8](try Fixtures.data("Terminals/attended-eur.json"))

    let transcript = try Transcript(parsing: text)
    let tap = TranscriptReplay(transcript, terminal: profile)
    do throws(ReplayError) {
      let report = try await tap.replay()
      print(report.role, report.exchangeCount)
    } catch {
      print(error)  // the first difference: exchange, place, data element, expected and got
    }

    #expect(try await tap.replay().exchangeCount == 5)
  }
}
