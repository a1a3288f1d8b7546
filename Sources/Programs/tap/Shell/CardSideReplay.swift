import ContactlessPayment
import EMVCard
import ISO7816
import Links
import Octets
import Synchronization
import Transcripts
import PaymentSimulation

/// This build's card against the recorded terminal.
struct CardSideReplay {
  let transcript: Transcript

  init(_ transcript: Transcript) { self.transcript = transcript }

  func run() async throws {
    guard !transcript.exchanges.isEmpty else { throw FileError(description: "the recording has no exchanges") }
    guard let profile = transcript[.card] else {
      throw FileError(
        description: "the recording names no card: only recordings of test cards keep it; replay the terminal's side")
    }
    var card = try CardProfile(json: Array(profile.utf8))
    if let counter = transcript.transactionCounter, !card.applications.isEmpty {
      card.applications[0].firstATC = Int(counter)
    }
    let image = try CardImage(compiling: card)
    let clock = ManualClock()
    let side = CardPresentation(wallet: try await ProvisionedWallet(card: image, clock: clock).wallet)
    let link = ReplayLink(transcript, clock: clock)
    let event = try await side.pay(on: { link })
    if let difference = link.difference { throw difference }
    if let recorded = transcript[.outcome], recorded != event.recordedName {
      throw ReplayFailure(
        description: "all answers are the recorded ones, but the session ended with \"\(event.recordedName)\", "
          + "not \"\(recorded)\"")
    }
  }
}

extension ContactlessPaymentSession.Event {
  /// How a recording of the card's side says that the session ended.
  var recordedName: String {
    switch self {
    case .transactionCompleted: "transactionCompleted"
    case .errorEncountered(let error): "errorEncountered \(error.name)"
    case .authenticationRequired, .authenticationCompleted, .posConnected, .posDisconnected: "not ended"
    }
  }
}

/// A link on which a recorded terminal asks.
private final class ReplayLink: EmulationLink {
  private let replay: CardReplay
  private let clock: ManualClock
  private let found = Mutex<TranscriptDifference?>(nil)

  init(_ transcript: Transcript, clock: ManualClock) {
    replay = CardReplay(transcript)
    self.clock = clock
  }

  var difference: TranscriptDifference? { found.withLock { $0 } }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    let difference = replay.run(&responder, startingAt: clock.now)
    found.withLock { $0 = difference }
  }

  func stop() {}
}
