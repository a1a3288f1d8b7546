import ContactlessPayment
import EMVCard
import Fixtures
import Foundation
import ISO7816
import Links
import Octets
import PaymentSimulation
import Testing
import Transcripts

/// A payment is recorded on the card's side and replayed.
@Suite("Recordings of payment sessions", .timeLimit(.minutes(20)))
struct SessionRecordingTests {
  static func profile(_ card: String) throws -> [UInt8] { [UInt8](try Fixtures.data("Cards/\(card).json")) }

  /// Pays at a recorded terminal and records the card's side anew.
  static func record(_ card: String) async throws -> Transcript {
    let source = try Transcript(parsing: TranscriptReplayTests.text("visa-two-accounts-card.txt"))
    let recording = SessionRecording()
    let wallet = try await ProvisionedWallet(card: CardImage(json: profile(card))).wallet
    let event = try await CardPresentation(wallet: wallet).pay(on: {
      recording.recording(RecordedTerminalLink(source: source))
    })
    return try recording.transcript(card: profile(card), event: event)
  }

  @Test func `a session is recorded with its card, its outcome and an end, and reproduces`() async throws {
    let transcript = try await Self.record("visa-two-accounts")
    #expect(transcript.role == .card && transcript[.outcome] == "transactionCompleted")
    #expect(transcript.transactionCounter == 1 && transcript.truncation == nil && transcript[.end] != nil)
    let report = try await TranscriptReplayTests.replay(Transcript(parsing: transcript.text))
    #expect(report.role == .card && report.exchangeCount == transcript.exchanges.count)
  }

  @Test func `a changed response of the card does not reproduce`() async throws {
    let text = try await Self.record("visa-two-accounts").text
    let changed = text.replacingOccurrences(of: "9F36020001", with: "9F36020002")
    #expect(changed != text)
    let error = try await TranscriptReplayTests.error(of: Transcript(parsing: changed))
    #expect("\(error)".contains("9F36"))
  }
}

/// A link whose terminal sends the commands of a recording, whatever the card answers.
struct RecordedTerminalLink: EmulationLink {
  let source: Transcript

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    var now = SystemClock().now
    responder.fieldChanged(.powered, at: now)
    var room = [UInt8](repeating: 0, count: shortResponseCapacity)
    for exchange in source.exchanges {
      now = SystemClock().now
      _ = room.withMutableOctets { responder.respond(to: exchange.command.span, at: now, into: &$0) }
    }
    responder.fieldChanged(.lost, at: SystemClock().now)
  }

  func stop() {}
}
