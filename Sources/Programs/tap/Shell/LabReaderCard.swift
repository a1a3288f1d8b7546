import ContactlessPayment
import EMVCard
import Links
import Synchronization
import VirtualCard

/// The armed card in a virtual PC/SC reader: payment after payment, it is verified, presented, and taken away.
struct LabReaderCard: Sendable {
  /// A virtual reader looks for its card every 400 ms: a card that came back sooner would seem never to have left.
  private static let absence = Duration.milliseconds(900)

  let image: CardImage
  let port: UInt16
  let format: OutputFormat

  /// Runs until the slot is closed, and closes it when it fails.
  func run(in slot: LabSlot) async throws {
    defer { slot.close() }
    let side = CardSide(wallet: try await ProvisionedWallet(card: image, leastUses: LabCard.uses).wallet)
    for number in 1... {
      let event: ContactlessPaymentSession.Event
      do {
        event = try await side.pay(on: { try slot.put(VPCDLink(port: port)) })
      } catch {
        if slot.isClosed { return }
        throw error
      }
      if case .transactionCompleted = event {} else if slot.isClosed { return }
      try LabCard.report(number, event, format)
      if case .errorEncountered(.transmissionError(let error)) = event { throw error }
      await slot.rest(for: Self.absence)
      if slot.isClosed { return }
    }
  }
}

/// Where the card of the present payment lies; once closed, there is no other.
final class LabSlot: Sendable {
  private let state = Mutex<(link: VPCDLink?, isClosed: Bool)>((nil, false))

  /// Takes the link of the next card, so that it can be stopped.
  func put(_ link: VPCDLink) throws(LinkError) -> VPCDLink {
    let isClosed = state.withLock { state in
      state.link = link
      return state.isClosed
    }
    guard !isClosed else { throw LinkError(.stopped, "the virtual reader was stopped") }
    return link
  }

  /// Waits, but not after the slot is closed.
  func rest(for time: Duration) async {
    let end = ContinuousClock.now + time
    while !isClosed, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(20)) }
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Ends the payment that waits.
  func close() {
    let last = state.withLock { state in
      state.isClosed = true
      return state.link
    }
    last?.stop()
  }
}
