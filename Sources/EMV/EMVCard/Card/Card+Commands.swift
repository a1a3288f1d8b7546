internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

extension Card {
  /// Runs the program of a command whose parameters and stage were checked.
  ///
  /// - Parameter limit: Ne, the most bytes of data in the response.
  // Not inlined, so that a command in the wrong stage does not pay for the stack frame of a computation.
  @inline(never)
  mutating func run(
    _ call: ProgramCall, _ data: Span<UInt8>, _ limit: Int, _ permission: UsePermission,
    into response: inout MutableRawSpan
  ) -> Int {
    let index = call.index
    guard let application = state.application else { return Self.answer(.conditionsNotSatisfied, into: &response) }
    var exchange = state
    let (form, count) = (commands[index].form, commands[index].valueCount)
    guard let offset = form == .processingOptions ? Self.valuesOffset(in: data) : 0 else {
      return Self.answer(.incorrectData, into: &response)
    }
    guard data.count - offset == count else { return Self.answer(.wrongLength, into: &response) }
    if form == .exchangeRelayData { return exchangeRelayData(index, limit, into: &response) }
    let computes = commands[index].computes
    if form == .processingOptions {
      keepOptions(data.extracting(offset..<data.count))
      if let requirement = commands[index].requirement, !areSet(requirement.bits) {
        if isArmed { self.refusal = .missingTerminalCapability }
        return Self.answer(requirement.status, into: &response)
      }
      if let offset = commands[index].mobileSupport {
        exchange.isMobileSupported = optionsValues[offset] & Self.mobileSupported != 0
      }
    }

    var isReady = false
    if commands[index].asks, let instant = permission.instant { isReady = mayCompute(&exchange, at: instant) }
    if form != .processingOptions, isReady { keepList(data) }
    var refusal = commands[index].refusal
    if computes, isReady, !acceptsTerms(of: index) {
      isReady = false
      refusal = commands[index].conflict
    }
    if !isReady, refusal.count > 0 {
      let count = self.answer(refusal, limit, into: &response)
      // A refusal with data goes on to the next stage, a status word alone does not.
      if count > 2 { exchange.move(to: commands[index].next) }
      state = exchange
      return count
    }
    let answer = isAlternative(index, call.p1, exchange) ? commands[index].alternative : commands[index].answer
    let available = answer.data.count + (answer.takesWalletData ? walletDataCount : 0)
    // Before the use is spent, so that the command with the right Le gets the response.
    guard available <= limit else { return Self.answer(available: available, into: &response) }
    exchange.move(to: commands[index].next)
    state = exchange
    response.copy(arena[answer.data], to: 0)
    var end = answer.data.count
    if computes {
      end = compute(answer, application, command: index, into: &response)
    }
    response.put(StatusWord.ok.rawValue, at: end)
    return end + 2
  }

  /// Returns the card's entropy and its times. No signature covers them, because this card makes none: a terminal
  /// learns how long an answer takes and not which card gave it.
  private mutating func exchangeRelayData(
    _ index: Int, _ limit: Int, into response: inout MutableRawSpan
  ) -> Int {
    let answer = commands[index].answer
    guard answer.data.count <= limit else { return Self.answer(available: answer.data.count, into: &response) }
    guard let entropy = relay.next() else { return Self.answer(.conditionsNotSatisfied, into: &response) }
    response.copy(arena[answer.data], to: 0)
    for position in answer.firstFill..<answer.firstFill + answer.fillCount {
      if case .entropy(let offset) = fills[position] { response.put(entropy, at: offset) }
    }
    response.put(StatusWord.ok.rawValue, at: answer.data.count)
    return answer.data.count + 2
  }

  /// Whether a command gets the alternative answer. See `CommandProgram.alternative`.
  @inline(__always)
  private func isAlternative(_ index: Int, _ p1: UInt8, _ exchange: CardState) -> Bool {
    switch commands[index].form {
    case .generateCryptogram: return p1 == 0x00
    case .computeChecksum:
      if exchange.isMobileSupported { return true }
      guard let offset = commands[index].mobileSupport else { return false }
      return listValues[offset] & Self.mobileSupported != 0
    case .processingOptions:
      guard let bits = commands[index].alternativeBits else { return false }
      return areSet(bits)
    case .exchangeRelayData: return false
    }
  }

  /// Whether the values of GET PROCESSING OPTIONS have all the bits.
  private func areSet(_ bits: CommandProgram.ValueBits) -> Bool {
    optionsValues[bits.offset] & bits.mask == bits.mask
  }

  /// Bit 1 of the terminal's mobile support indicator, tag 9F7E.
  private static let mobileSupported: UInt8 = 0x01

  /// The offset of the values in `83 | length | values`, or nil when the template is malformed.
  private static func valuesOffset(in data: Span<UInt8>) -> Int? {
    guard data.count >= 2, data[0] == 0x83 else { return nil }
    if data[1] < 0x80 { return Int(data[1]) == data.count - 2 ? 2 : nil }
    guard data[1] == 0x81, data.count >= 3, Int(data[2]) == data.count - 3 else { return nil }
    return 3
  }

  private mutating func keepOptions(_ values: Span<UInt8>) {
    optionsValueCount = values.count
    // Many cards ask for none.
    if values.count > 0 { optionsValues.withMutableOctets { $0.copy(values, to: 0) } }
  }

  private mutating func keepList(_ values: Span<UInt8>) {
    listValues.withMutableOctets { $0.copy(values, to: 0) }
    listValueCount = values.count
  }
}

extension CommandImage {
  /// Whether the answer depends on the use or on the age of the verification. The first command of an exchange that asks
  /// for a use starts its deadline; GET PROCESSING OPTIONS always asks.
  @inline(__always)
  var asks: Bool { computes || form == .processingOptions }

  /// Whether P1-P2 are those of the command.
  @inline(__always)
  func accepts(_ found: UInt16) -> Bool {
    // 00 AAC, 40 TC, 80 ARQC; bit 5 asks for a signature, which this card does not make.
    found == parameters || form == .generateCryptogram && (found == 0x4000 || found == 0x8000)
  }
}
