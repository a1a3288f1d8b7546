internal import ISO7816
internal import Links
internal import Octets
internal import POSIX

/// A card in a slot of a simulated reader, while `serve` runs. The card stays when its reader is unplugged.
final class SlotLink: EmulationLink {
  private enum Phase {
    case ready
    case serving(visit: Int)
    case stopped
  }

  private let card: SlotCard
  private let port: CardPort
  private let phase = WaitableState(Phase.ready)

  init(_ card: SlotCard, at port: CardPort) {
    self.card = card
    self.port = port
  }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    guard let visit = try begin() else { return }
    var (room, isPowered) = ([UInt8](repeating: 0, count: ResponseAPDU.maximumCount), false)
    while let request = port.next(of: visit) {
      switch request {
      case .field(let event, let instant):
        isPowered = event != .lost
        responder.fieldChanged(event, at: instant)
      case .command(let command, let instant):
        let count = room.withMutableOctets { room in
          let count = responder.respond(to: command.span, at: instant, into: &room)
          requireResponse(of: count, within: room.byteCount)
          return count
        }
        port.answer(Array(room.prefix(count)), of: visit)
        responder.responseSent()
      }
    }
    if isPowered { responder.fieldChanged(.lost, at: SystemClock().now) }
  }

  private func begin() throws(LinkError) -> Int? {
    try phase.update { (phase) throws(LinkError) in
      if case .stopped = phase { return nil }
      guard case .ready = phase, let visit = port.insert(card) else {
        throw LinkError(.busy, "the slot of the simulated reader has a card: take that one out first")
      }
      phase = .serving(visit: visit)
      return visit
    }
  }

  func stop() {
    let phase = phase.update { exchange(&$0, with: .stopped) }
    if case .serving(let visit) = phase { port.remove(visit) }
  }
}
