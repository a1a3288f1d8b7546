public import ISO7816
public import Octets

extension Card: CommandResponder {
  private static let selectCode: UInt16 = 0x00A4
  private static let readRecordCode: UInt16 = 0x00B2
  private static let getDataCode: UInt16 = 0x80CA
  private static let getResponseCode: UInt16 = 0x00C0

  /// Whether CLA and INS are those of a command that every application has.
  private static func isShared(_ code: UInt16) -> Bool {
    code == selectCode || code == readRecordCode || code == getDataCode
  }

  /// Answers any command. Errors are answered by status words.
  public mutating func respond(
    to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan
  ) -> Int {
    if phase == .idle { phase = .engaged }
    if isExceptional, let count = answerException(to: command, into: &response) { return count }
    guard let layout = try? CommandLayout(parsing: command) else { return Self.answer(.wrongLength, into: &response) }
    let data = command.part(at: layout.dataOffset, count: layout.dataCount)
    let command = CardCommand(command, layout)
    return switch command.code {
    case Self.selectCode: select(command, data, into: &response)
    case Self.readRecordCode: readRecord(command, data, into: &response)
    case Self.getDataCode: getData(command, data, into: &response)
    default: runProgram(of: command, data, at: instant, into: &response)
    }
  }

  /// Answers a command of a blocked card (CARD BLOCK, EMV 4.4 Book 3, 6.5.3), and GET RESPONSE while parts of a response wait;
  /// nil for other commands, which give these parts up.
  // Not inlined: a command that ends before it needs fewer instructions.
  @inline(never)
  private mutating func answerException(to octets: Span<UInt8>, into response: inout MutableRawSpan) -> Int? {
    if state.isBlocked { return Self.answer(.functionNotSupported, into: &response) }
    guard long.isWaiting else { return nil }
    if let layout = try? CommandLayout(parsing: octets) {
      let command = CardCommand(octets, layout)
      if command.code == Self.getResponseCode {
        return getResponse(command, octets.part(at: layout.dataOffset, count: layout.dataCount), into: &response)
      }
    }
    long.drop()
    return nil
  }

  /// Runs the program of a command, if the application has one. See `CommandProgram` for the order of the checks.
  private mutating func runProgram(
    of command: CardCommand, _ data: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan
  ) -> Int {
    guard let index = program(for: command.instruction) else {
      if command.isScript { return runScript(command, data, into: &response) }
      if long.isUsed, command.code == Self.getResponseCode { return getResponse(command, data, into: &response) }
      if hasIssuerCommands, let count = runIssuerCommand(command, data, at: instant, into: &response) { return count }
      // ISO/IEC 7816-4:2013, table 6.
      let isOtherClass = Self.isShared(command.codeOfOtherClass)
      return Self.answer(isOtherClass ? .classNotSupported : .instructionNotSupported, into: &response)
    }
    let program = commands[index]
    guard program.code == command.code else {
      if command.isScript { return runScript(command, data, into: &response) }
      return Self.answer(.classNotSupported, into: &response)
    }
    guard program.accepts(command.parameters) else { return Self.answer(.incorrectParameters, into: &response) }
    if program.form == .exchangeRelayData, data.count != program.valueCount {
      return Self.answer(.wrongLength, into: &response)
    }
    guard let selected, selected.stage == program.stage else {
      if program.form == .generateCryptogram, let count = secondCryptogram(command, data, into: &response) {
        return count
      }
      return Self.answer(.conditionsNotSatisfied, into: &response)
    }
    return run(ProgramRun(program, index, selected), command, data, at: instant, into: &response)
  }

  /// The position of the program with an instruction among those of the selected application; before a selection, the
  /// first one among those of all applications. No instruction belongs to two classes.
  private func program(for instruction: UInt8) -> Int? {
    let programs = if let selected { images[selected.index].commands } else { commands.indices }
    return programs.first { UInt8(truncatingIfNeeded: commands[$0].code) == instruction }
  }
}

// MARK: Answers

extension Card {
  /// Answers with a status word alone.
  static func answer(_ status: StatusWord, into response: inout MutableRawSpan) -> Int {
    response.put(status.rawValue, at: 0)
    return 2
  }

  /// Copies a ready-made response; 6Cxx when the command permits less data.
  func answer(_ slice: ArenaSlice, _ limit: Int, into response: inout MutableRawSpan) -> Int {
    guard slice.count - 2 <= limit else { return Self.answer(available: slice.count - 2, into: &response) }
    response.copy(arena[slice], to: 0)
    return slice.count
  }

  /// Answers a command whose Ne is below the data of its response: 6Cxx, where xx is their number and 00 is 256
  /// (ISO/IEC 7816-4:2013, 5.6). Nothing was done, so the same command with that Le gets the response.
  static func answer(available count: Int, into response: inout MutableRawSpan) -> Int {
    response.put(0x6C00 | UInt16(truncatingIfNeeded: count & 0xFF), at: 0)
    return 2
  }
}
