import CardExploration
import EMVIssuer
import Links
import PaymentAcceptance
import TapReplay
import Transcripts

extension PlaceKind {
  /// A recorded card; for a scenario also a directory of recorded cards.
  static let replay = PlaceKind(
    prefix: "replay", placeholder: "FILE", isRecorded: true, takesReaderCommands: true,
    open: { file, options in try ReplayedCards(files: [file], keys: options.keys) },
    card: { file in
      let transcript = try RecordingFile.transcript(at: file)
      let reader = PoweredReader(name: file) { (_) throws(LinkError) in ReplayChannel(transcript) }
      return CardPlace(reader, hasNextCard: false)
    })
}

extension ReplayedCards {
  /// The recordings of files, of which there is at least one. Their host decides as recorded, unless an issuer's keys
  /// are given.
  convenience init(files: [String], keys: IssuerKeys?) throws {
    let transcripts = try files.map(RecordingFile.transcript)
    self.init(transcripts[0], Array(transcripts.dropFirst())) { transcript in
      guard keys == nil, let recorded = transcript[.host] else { return ShippedCards.host(keys) }
      return RecordedHost(recorded)
    }
  }
}
