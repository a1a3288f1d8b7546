import ContactlessPayment
import EMVCard
import ISO7816
import Links
import Octets
import PaymentAcceptance
import Transcripts

/// Records what the card of one payment sees.
struct CardRecorder: Sendable {
  private let recording = Recording(role: .card)

  /// A link that records what goes over another.
  func wrapping(_ base: any EmulationLink) -> some EmulationLink {
    RecordingLink(base: base, recording: recording)
  }

  /// Writes the recording with the card's profile and how the session ended, as far as it may be shown.
  func write(to file: OutputFile, card: [UInt8], event: ContactlessPaymentSession.Event) throws {
    var transcript = recording.transcript
    transcript[.outcome] = event.recordedName
    let image = try CardImage(json: card)
    transcript[.card] = JSONLine.compact(card)
    transcript.transactionCounter = image.applications.first?.firstATC
    try file.write(Disclosure(showsAll: false).shown(transcript).text.utf8)
  }
}

private struct RecordingLink: EmulationLink {
  let base: any EmulationLink
  let recording: Recording

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    var recorder = RecordingResponder(consume responder, clock: SystemClock(), recording: recording)
    do throws(LinkError) {
      try base.serve(&recorder)
      responder = recorder.release()
    } catch {
      responder = recorder.release()
      throw error
    }
  }

  func stop() { base.stop() }
}
