internal import ISO7816
internal import Links
internal import Octets
internal import POSIX

/// A slot between the thread of the bus and the thread that serves its card.
final class CardPort: Sendable {
  /// What the card gets from its reader, in order.
  enum Request: Sendable {
    case field(FieldEvent, Instant)
    case command([UInt8], Instant)
  }

  private struct State {
    /// Counts the cards that were put in, so that one after another is noticed.
    var visit = 0
    var card: SlotCard?
    var requests: [Request] = []
    var answer: [UInt8]?
    /// The bus on which the reader is.
    var bus: WakeSignal?
  }

  private let state = WaitableState(State())

  // MARK: The bus

  /// The reader is plugged in: its thread learns by the signal that a card came or left.
  func connect(_ bus: WakeSignal) { state.update { $0.bus = bus } }

  /// The card in the slot, and which visit of a card it is.
  var presence: (visit: Int, card: SlotCard?) { state.read { ($0.visit, $0.card) } }

  /// Passes a request on to the card; without a card it is lost.
  func post(_ request: Request) {
    state.update { state in
      if case .command = request { state.answer = nil }
      if state.card != nil { state.requests.append(request) }
    }
  }

  /// The answer of the card to the last command.
  func takeAnswer() -> [UInt8]? { state.update { exchange(&$0.answer, with: nil) } }

  // MARK: The card

  /// Puts a card in.
  ///
  /// - Returns: The number of its visit; nil when another card is there.
  func insert(_ card: SlotCard) -> Int? {
    let visit = state.update { state -> Int? in
      guard state.card == nil else { return nil }
      state.visit += 1
      (state.card, state.requests, state.answer) = (card, [], nil)
      return state.visit
    }
    wakeBus()
    return visit
  }

  /// Takes the card of a visit out.
  func remove(_ visit: Int) {
    state.update { state in
      if state.visit == visit { (state.card, state.requests, state.answer) = (nil, [], nil) }
    }
    wakeBus()
  }

  /// Waits for the next request to the card of a visit; nil when the card was taken out.
  func next(of visit: Int) -> Request? {
    let request = state.wait { state -> Request?? in
      guard state.visit == visit, state.card != nil else { return .some(nil) }
      return state.requests.isEmpty ? nil : .some(state.requests.removeFirst())
    }
    return request ?? nil
  }

  func answer(_ octets: [UInt8], of visit: Int) {
    state.update { if $0.visit == visit, $0.card != nil { $0.answer = octets } }
    wakeBus()
  }

  private func wakeBus() { state.read(\.bus)?.raise() }
}
