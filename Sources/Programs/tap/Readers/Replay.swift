import CardExploration
import EMVTerminal
import Links
import PaymentAcceptance
import TapReplay
import Transcripts

extension ReaderKind {
  /// A recorded card.
  static let replay = ReaderKind(
    prefix: "replay", placeholder: "FILE", takesReaderCommands: true,
    open: { file, _ in ReplayPlace(transcript: try RecordingFile.transcript(at: file)) },
    card: { file in
      let transcript = try RecordingFile.transcript(at: file)
      return CardPlace { (use, _) throws(LinkError) in
        var field: any CardField = PoweredField { (_) throws(LinkError) in ReplayChannel(transcript) }
        use(&field)
      }
    })
}

/// Payments with a recorded card.
private struct ReplayPlace: PaymentPlace {
  let transcript: Transcript

  var isAttended: Bool { false }
  var recording: Transcript? { transcript }

  func host() -> any AuthorizationHost { transcript[.host].map(RecordedHost.init) ?? ShippedCards.host() }

  func take(_ request: PaymentRequest, at terminal: PaymentAcceptance) async throws -> PaymentResult {
    try TerminalReplay(transcript, configuration: terminal.configuration, host: terminal.host).pay(request)
  }
}
