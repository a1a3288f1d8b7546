internal import Ciphers
internal import EMVCryptography
internal import ISO7816
internal import Octets

extension Card {
  /// INTERNAL AUTHENTICATE (EMV 4.4 Book 2, 6.5 and Book 3, 6.5.9): a signature over the terminal's values, in format 2. It spends
  /// no use; a card without one refuses, since it has no key.
  mutating func internalAuthenticate(
    _ command: CardCommand, _ data: Span<UInt8>, _ plan: InternalAuthenticationPlan, into response: inout MutableRawSpan
  ) -> Int {
    guard command.parameters == 0 else { return Self.answer(.incorrectParameters, into: &response) }
    guard let selected, selected.isReadable, use.stage != .none else {
      return Self.answer(.conditionsNotSatisfied, into: &response)
    }
    guard data.count == plan.valueCount else { return Self.answer(.wrongLength, into: &response) }
    let available = plan.header.count + signatureBlock.count
    guard available <= command.limit else { return Self.answer(available: available, into: &response) }
    var room = exchange(&signatureBlock, with: [])
    defer { signatureBlock = room }
    var block = room.mutableSpan
    Self.put(use.counters[selected.index], into: &block)
    var message = RSASigningKey.layOut(0x05, count: FastSignature.dynamicDataCount, in: &block)
    message.update(data)
    guard use.sign(&block, covering: message) else {
      return Self.answer(StatusWord(rawValue: 0x6F00), into: &response)
    }
    response.copy(plan.header.span, to: 0)
    response.copy(block.span, to: plan.header.count)
    response.put(StatusWord.ok.rawValue, at: available)
    return available + 2
  }
}
