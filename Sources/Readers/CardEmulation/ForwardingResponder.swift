internal import ISO7816
internal import Octets

/// The responder on the link's thread: reports each command as an event, and blocks until its response is given.
struct ForwardingResponder: CommandResponder {
  let core: EmulationCore
  let slot: ResponseSlot
  let run: Int
  let timeout: Duration

  func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    guard let number = slot.begin(room: response.byteCount) else { return refuse(into: &response) }
    report(command.array, number)
    guard let octets = slot.wait(for: number, timeout: timeout) else { return refuse(into: &response) }
    response.copy(octets.span, to: 0)
    return octets.count
  }

  // A function of its own, so that this thread holds no reference to the APDU while it waits: the last reference ends
  // emulation.
  private func report(_ octets: [UInt8], _ number: UInt64) {
    let apdu = ReceivedAPDU(octets, number: number, slot: slot) { [core, run] in core.dropped(of: run) }
    core.received(apdu, of: run)
  }

  /// `6F00`, no precise diagnosis (ISO/IEC 7816-4:2013, table 5): the card is there and its program does not answer.
  private func refuse(into response: inout MutableRawSpan) -> Int {
    response.put(UInt16(0x6F00), at: 0)
    return 2
  }

  func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    core.field(event, of: run)
  }
}
