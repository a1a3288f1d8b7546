internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

extension Card {
  /// The second GENERATE AC (EMV 4.4 Book 3, 6.5.5 and 10.11), with the key and the counter of the first; nil for an application
  /// that does not have it. The card approves for an issuer that it has authenticated, or by its own rule when the terminal
  /// brings no response.
  // Not inlined: a command that ends before it needs fewer instructions.
  @inline(never)
  mutating func secondCryptogram(
    _ command: CardCommand, _ data: Span<UInt8>, into response: inout MutableRawSpan
  ) -> Int? {
    guard let selected, selected.stage == .answered, let issuer = images[selected.index].issuer,
      let second = issuer.second
    else { return nil }
    guard openExchange(of: selected.index) != nil, outcome.second == nil else {
      return Self.answer(.conditionsNotSatisfied, into: &response)
    }
    guard command.p1 & 0xC0 != 0x80 else { return Self.answer(.incorrectParameters, into: &response) }
    guard data.count == second.valueCount else { return Self.answer(.wrongLength, into: &response) }
    if outcome.authentication == .notPerformed, let range = second.authentication {
      authenticate(received: data.extracting(range), issuer, selected.index)
    }
    let image = secondAnswer(second, command.p1, selected.index)
    let available = image.answer.data.count + (image.answer.takesWalletData ? walletDataCount : 0)
    keepList(data)
    return respond(available, to: command, into: &response) { card, response in
      response.copy(card.arena[image.answer.data], to: 0)
      guard let count = card.write(image.answer, image.type, selected.index, into: &response) else {
        return Self.answer(StatusWord(rawValue: 0x6F00), into: &response)
      }
      response.put(StatusWord.ok.rawValue, at: count)
      return count + 2
    }
  }

  /// Tag 91 among the values of CDOL2: zeros when the host was not reached; zeros after the data where they are shorter than the
  /// list asks for.
  private mutating func authenticate(received data: Span<UInt8>, _ issuer: IssuerImage, _ index: Int) {
    var isMissing = true
    for offset in data.indices where data[offset] != 0 { isMissing = false }
    guard !isMissing else { return }
    switch issuer.response?.method {
    case .responseCode: authenticate(data.part(at: 0, count: 10), issuer, index)
    case .cardStatusUpdate:
      authenticate(data[4] & 0x80 == 0 ? data.part(at: 0, count: 8) : data, issuer, index)
    case nil: break
    }
  }

  /// The response for the type that the terminal asks for, and the type that it gets.
  private func secondAnswer(
    _ second: IssuerImage.Second, _ p1: UInt8, _ index: Int
  ) -> (answer: ResponseImage, type: CryptogramType) {
    let type: CryptogramType = p1 & 0xC0 == 0x40 && mayApprove(index) ? .tc : .aac
    let value = SecondProgram.Case(type, outcome.authentication)
    let isSigned = type == .tc && p1 & 0x10 != 0 && !second.signed.isEmpty
    return (isSigned ? second.signed[value.rawValue] : second.answers[value.rawValue], type)
  }

  private func mayApprove(_ index: Int) -> Bool {
    guard !isBlocked(index), let computed else { return false }
    switch outcome.authentication {
    case .successful: return true
    case .failed: return false
    case .notPerformed:
      let position = commands[computed.command].further
      guard position >= 0, let rule = further[position].rule else { return false }
      // The values of the first cryptogram.
      return rule.approves(terminalValues.span, within: use.offlineAllowance(of: index))
    }
  }

  /// Writes the values of a second response into its copy. Returns the number of bytes of the response; nil when the public key
  /// does not confirm a signature.
  private mutating func write(
    _ answer: ResponseImage, _ type: CryptogramType, _ index: Int, into response: inout MutableRawSpan
  ) -> Int? {
    guard let computed else { return nil }
    let (counter, key) = (computed.transactionCounter, images[index].firstKey)
    var (end, value, isSigned) = (answer.data.count, UInt64(0), true)
    for position in answer.firstFill..<answer.firstFill + answer.fillCount {
      switch fills[position] {
      case .transactionCounter(let offset): response.put(counter, at: offset)
      case .cryptogram(_, let plan, let offset):
        value = cryptogram(plan, counter, key: key)
        response.put(value, at: offset)
      case .combinedSignature(let signature, let plan, let offset):
        value = cryptogram(plan, counter, key: key)
        isSigned = sign(
          signature, counter, value, after: commands[computed.command].valueCount, at: offset, end: end, in: &response)
      case .walletData(let outer, let inner): end += appendWalletData(to: answer.data, outer, inner, into: &response)
      case .dynamicCode, .entropy, .cardNumber, .fastSignature: break
      }
    }
    outcome.second = IssuerOutcome.SecondCryptogram(type: type, cryptogram: value)
    hasOutcome = true
    phase = .completed
    if type == .tc, outcome.authentication == .notPerformed { noteSecondApproval() }
    return isSigned ? end : nil
  }

  private mutating func noteSecondApproval() {
    guard let computed, commands[computed.command].further >= 0,
      let rule = further[commands[computed.command].further].rule
    else { return }
    approvedAmount = rule.amount(in: terminalValues.span)
  }
}
