import CardExploration
import EMVIssuer
import Links
import PaymentAcceptance
import TapReplay
import TapScenarios
import Transcripts

extension ReaderKind {
  /// A recorded card; for a scenario also a directory of recorded cards.
  static let replay = ReaderKind(
    prefix: "replay", placeholder: "FILE", takesReaderCommands: true,
    open: { file, options in
      RecordedPlace(try RecordingFile.transcript(at: file)) { host(of: $0, options.keys) }
    },
    card: { file in
      let transcript = try RecordingFile.transcript(at: file)
      return CardPlace(hasNextCard: false) { (use, _) throws(LinkError) in
        var field: any CardField = PoweredField { (_) throws(LinkError) in ReplayChannel(transcript) }
        use(&field)
      }
    },
    series: { try series(at: $0, for: $1) })

  private static func series(at path: String, for file: ScenarioFile) throws -> TapSeries? {
    guard let files = try RecordingDirectory.recordings(at: path, of: file) else { return nil }
    return TapSeries(count: files.count) { options in
      let transcripts = try files.map(RecordingFile.transcript)
      return RecordedPlace(transcripts[0], Array(transcripts.dropFirst())) { host(of: $0, options.keys) }
    }
  }

  /// The host as recorded, unless an issuer's keys are given.
  private static func host(of transcript: Transcript, _ keys: IssuerKeys?) -> any AuthorizationHost {
    guard keys == nil, let recorded = transcript[.host] else { return ShippedCards.host(keys) }
    return RecordedHost(recorded)
  }
}
