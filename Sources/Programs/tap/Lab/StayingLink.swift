import ISO7816
import Links

/// The link of a card that stays in a laboratory: the end of its session takes it off only when no terminal is at it.
struct StayingLink: EmulationLink {
  let base: Loopback
  let slot: LabSlot

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    try base.serve(&responder)
  }

  func stop() { slot.sessionEnded(on: base) }
}
