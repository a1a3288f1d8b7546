internal import ISO7816
internal import Octets

/// A program while it runs: its command's position in `Card.commands`, and the exchange that it changes.
struct ProgramRun {
  let program: CommandImage
  let index: Int
  var exchange: ApplicationExchange

  // With the initializer that synthesis gives, a command that is refused takes 35 instructions more.
  init(_ program: CommandImage, _ index: Int, _ exchange: ApplicationExchange) {
    (self.program, self.index, self.exchange) = (program, index, exchange)
  }
}

extension Card {
  /// Runs the program of a command whose parameters and stage were checked.
  mutating func run(
    _ checked: ProgramRun, _ command: CardCommand, _ data: Span<UInt8>, at instant: Instant,
    into response: inout MutableRawSpan
  ) -> Int {
    var run = checked
    switch run.program.form {
    case .exchangeRelayData: return exchangeRelayData(run.program.answer, data, command.limit, into: &response)
    case .processingOptions:
      if let status = keepOptions(data, &run) { return Self.answer(status, into: &response) }
    case .generateCryptogram, .computeChecksum:
      guard data.count == run.program.valueCount else { return Self.answer(.wrongLength, into: &response) }
    }
    if let refusal = refusal(of: &run, data, at: instant) {
      let count = answer(refusal, command.limit, into: &response)
      // A refusal with data goes on to the next stage, a status word alone does not.
      if count > 2 { run.exchange.stage = run.program.next }
      selected = run.exchange
      return count
    }
    let answer = answer(of: run, command.p1)
    let available = answer.data.count + (answer.takesWalletData ? walletDataCount : 0)
    return respond(available, to: command, into: &response) { $0.write(answer, run, into: &$1) }
  }

  /// Writes a response whole.
  private mutating func write(_ answer: ResponseImage, _ run: ProgramRun, into response: inout MutableRawSpan) -> Int {
    selected = run.exchange
    selected?.stage = run.program.next
    response.copy(arena[answer.data], to: 0)
    guard let count = run.program.computes ? compute(answer, run, into: &response) : answer.data.count else {
      // The use is spent, and nothing of a wrong signature leaves.
      return Self.answer(StatusWord(rawValue: 0x6F00), into: &response)
    }
    response.put(StatusWord.ok.rawValue, at: count)
    if hasIssuerCommands, run.program.form == .generateCryptogram { torn.keep(response, count: count + 2) }
    return count + 2
  }

  /// Returns the card's entropy and its times. A signature of GENERATE AC covers the data of the last exchange; without one a
  /// terminal learns how long a response takes and not which card gave it.
  private mutating func exchangeRelayData(
    _ answer: ResponseImage, _ data: Span<UInt8>, _ limit: Int, into response: inout MutableRawSpan
  ) -> Int {
    guard answer.data.count <= limit else { return Self.answer(available: answer.data.count, into: &response) }
    guard let entropy = relay.next() else { return Self.answer(.conditionsNotSatisfied, into: &response) }
    response.copy(arena[answer.data], to: 0)
    for position in answer.firstFill..<answer.firstFill + answer.fillCount {
      if case .entropy(let offset) = fills[position] { response.put(entropy, at: offset) }
    }
    let arena = arena
    relay.keep(data, entropy, arena[answer.data])
    response.put(StatusWord.ok.rawValue, at: answer.data.count)
    return answer.data.count + 2
  }

  /// Keeps the values of GET PROCESSING OPTIONS.
  ///
  /// - Returns: The status word for data that are malformed, of another length, or without a required capability; nil
  ///   for others.
  private mutating func keepOptions(_ data: Span<UInt8>, _ run: inout ProgramRun) -> StatusWord? {
    guard let offset = Self.valuesOffset(in: data) else { return .incorrectData }
    guard data.count - offset == run.program.valueCount else { return .wrongLength }
    optionsValueCount = data.count - offset
    optionsValues.withMutableOctets { $0.copy(data.extracting(offset..<data.count), to: 0) }
    if let requirement = run.program.requirement, !areSet(requirement.bits) {
      if isArmed { refusal = .missingTerminalCapability }
      return requirement.status
    }
    if let offset = run.program.mobileSupport {
      run.exchange.isMobileSupported = optionsValues[offset] & Self.mobileSupported != 0
    }
    return nil
  }

  /// The refusal of a card without a use for this command; nil when the card gives the response.
  private mutating func refusal(of run: inout ProgramRun, _ data: Span<UInt8>, at instant: Instant) -> ArenaSlice? {
    let program = run.program
    let isOptions = program.form == .processingOptions
    // GET PROCESSING OPTIONS starts the exchange that the deadline allows, also when a later command computes.
    guard isOptions || program.computes, mayCompute(&run.exchange, at: instant) else {
      // No other payment begins before the issuer's response to the last one.
      guard isOptions, use.stage == .spent, let issuer = openExchange(of: run.exchange.index) else {
        return program.refusal
      }
      return issuer.refusal
    }
    if !isOptions { keepList(data) }
    return program.computes && !acceptsTerms(program.terms) ? program.conflict : nil
  }

  /// The response that a command gets: see `CommandProgram`.
  private func answer(of run: ProgramRun, _ p1: UInt8) -> ResponseImage {
    if isAlternative(run, p1) || isBlocked(run.exchange.index) { return run.program.alternative }
    guard run.program.further >= 0 else { return run.program.answer }
    let further = further[run.program.further]
    let isOptions = run.program.form == .processingOptions
    let isSigned = p1 & Self.signatureAsked != 0
    if let rule = further.rule, isOptions || p1 & Self.typeBits == 0x40,
      rule.approves(
        isOptions ? optionsValues.span : listValues.span, within: use.offlineAllowance(of: run.exchange.index))
    {
      return isSigned ? further.signedApproval : further.approval
    }
    return isSigned ? further.signed : run.program.answer
  }

  /// Bits 8 and 7 of P1 of GENERATE AC: the type that the terminal asks for.
  private static var typeBits: UInt8 { 0xC0 }
  /// Bit 5 of P1 of GENERATE AC.
  private static var signatureAsked: UInt8 { 0x10 }

  /// Whether a command gets the alternative answer. See `CommandProgram.alternative`.
  private func isAlternative(_ run: ProgramRun, _ p1: UInt8) -> Bool {
    switch run.program.form {
    case .generateCryptogram: return p1 & Self.typeBits == 0x00
    case .computeChecksum:
      if run.exchange.isMobileSupported { return true }
      guard let offset = run.program.mobileSupport else { return false }
      return listValues[offset] & Self.mobileSupported != 0
    case .processingOptions:
      guard let bits = run.program.alternativeBits else { return false }
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

  mutating func keepList(_ values: Span<UInt8>) {
    listValues.withMutableOctets { $0.copy(values, to: 0) }
    listValueCount = values.count
  }
}

extension CommandImage {
  /// Whether P1-P2 are those of the command.
  func accepts(_ found: UInt16) -> Bool {
    // 00 AAC, 40 TC, 80 ARQC; bit 5 asks for a signature.
    if found == parameters { return true }
    guard form == .generateCryptogram else { return false }
    return found == 0x4000 || found == 0x8000 || further >= 0 && (found == 0x1000 || found == 0x5000 || found == 0x9000)
  }
}
