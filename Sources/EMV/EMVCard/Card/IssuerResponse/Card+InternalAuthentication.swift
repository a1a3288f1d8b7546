internal import Ciphers
internal import EMVCryptography
internal import ISO7816
internal import Octets

extension Card {
  /// INTERNAL AUTHENTICATE (EMV 4.4 Book 2, 6.5 and Book 3, 6.5.9): a signature over the terminal's values, in format 2. It spends
  /// no use; a card without one refuses, since it has no key. The counter is the dynamic number of the card, so each counter of
  /// an arming gets one signature before its use is spent: the same values get the same signature again, others 6985.
  mutating func internalAuthenticate(
    _ command: CardCommand, _ data: Span<UInt8>, _ plan: InternalAuthenticationPlan, at instant: Instant,
    into response: inout MutableRawSpan
  ) -> Int {
    guard command.parameters == 0 else { return Self.answer(.incorrectParameters, into: &response) }
    guard var exchange = selected, exchange.isReadable, mayCompute(&exchange, at: instant) else {
      return Self.answer(.conditionsNotSatisfied, into: &response)
    }
    selected = exchange
    guard data.count == plan.valueCount else { return Self.answer(.wrongLength, into: &response) }
    let available = plan.header.count + signatureBlock.count
    guard available <= command.limit else { return Self.answer(available: available, into: &response) }
    let counter = use.counters[exchange.index]
    switch dynamicSignatures.permission(for: counter, data) {
    case .none: return Self.answer(.conditionsNotSatisfied, into: &response)
    case .repeats(let place): dynamicSignatures.copy(place, to: plan.header.count, of: &response)
    case .signs(let place):
      let isSigned = signValues(data, counter, at: plan.header.count, in: &response)
      dynamicSignatures.keep(place, counter, data, isSigned ? signatureBlock : nil)
      guard isSigned else { return Self.answer(StatusWord(rawValue: 0x6F00), into: &response) }
    }
    response.copy(plan.header.span, to: 0)
    response.put(StatusWord.ok.rawValue, at: available)
    return available + 2
  }

  /// Writes the signature over the terminal's values into a response, and leaves it in `signatureBlock`.
  private mutating func signValues(
    _ data: Span<UInt8>, _ counter: UInt16, at offset: Int, in response: inout MutableRawSpan
  ) -> Bool {
    var room = exchange(&signatureBlock, with: [])
    defer { signatureBlock = room }
    var block = room.mutableSpan
    Self.put(counter, into: &block)
    var message = RSASigningKey.layOut(0x05, count: FastSignature.dynamicDataCount, in: &block)
    message.update(data)
    guard use.sign(&block, covering: message) else { return false }
    response.copy(block.span, to: offset)
    return true
  }
}
