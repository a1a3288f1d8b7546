internal import ISO7816
internal import Octets

/// The responder on the link's thread: hands each command over and blocks until its answer comes.
struct EmulatedCard: CommandResponder {
  let core: EmulationCore
  let exchange: AnswerExchange
  let run: Int
  let timeout: Duration

  func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    guard let number = exchange.begin(room: response.byteCount) else { return refuse(into: &response) }
    hand(command.array, number)
    guard case .answer(let octets) = exchange.wait(number, timeout: timeout) else { return refuse(into: &response) }
    response.copy(octets.span, to: 0)
    return octets.count
  }

  /// In a function of its own: the thread must not hold the APDU while it waits for its answer.
  private func hand(_ octets: [UInt8], _ number: UInt64) {
    let apdu = ReceivedAPDU(octets, number: number, exchange: exchange) { [core, run] in core.dropped(of: run) }
    core.received(apdu, of: run)
  }

  /// `6F00`, no precise diagnosis: the card is there and its program does not answer.
  private func refuse(into response: inout MutableRawSpan) -> Int {
    response.put(UInt16(0x6F00), at: 0)
    return 2
  }

  func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    core.field(event, of: run)
  }
}
