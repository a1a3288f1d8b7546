internal import EMVData
public import ISO7816
public import Octets

extension Card: CommandResponder {
  /// Answers any command. Errors are answered by status words.
  public mutating func respond(
    to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan
  ) -> Int {
    respond(to: command, UsePermission(at: instant), into: &response)
  }

  /// Answers a command, or leaves a command that asks for the use to its caller.
  ///
  /// A session must read its clock and prevent a revocation before a card computes, which takes longer than most
  /// answers. So it first calls this function, and `respond(to:at:into:)` for the few commands that need a permission.
  ///
  /// A command that the card could only answer with its use, or by the age of the verification, changes nothing but
  /// `phase`, from idle.
  ///
  /// - Returns: The length of the response, at least 2; 0 for a command that needs the permission.
  package mutating func respondWithoutPermission(
    to command: Span<UInt8>, into response: inout MutableRawSpan
  ) -> Int {
    respond(to: command, .none, into: &response)
  }

  // The functions for a command are not inlined, and each is called last, so that this one needs no stack frame.
  @inline(__always)
  private mutating func respond(
    to command: Span<UInt8>, _ permission: UsePermission, into response: inout MutableRawSpan
  ) -> Int {
    if phase == .idle { phase = .engaged }
    let count = command.count
    guard count >= 4 else { return Self.answer(.wrongLength, into: &response) }
    let header = command.integer(at: 0, as: UInt32.self)
    guard count > 5 else {
      let limit = count == 4 ? 0 : Self.shortLimit(command[4])
      return dispatch(header, command.extracting(first: 0), limit, permission, into: &response)
    }
    let stated = Int(command[4])
    guard stated != 0 else { return respond(toExtended: command, permission, into: &response) }
    let following = count &- 5
    var limit = 0
    if following != stated {
      guard following == stated &+ 1 else { return Self.answer(.wrongLength, into: &response) }
      limit = Self.shortLimit(command[count &- 1])
    }
    return dispatch(header, command.part(at: 5, count: stated), limit, permission, into: &response)
  }

  /// Ne of a short Le: 00 stands for 256.
  private static func shortLimit(_ expected: UInt8) -> Int { Int(expected &- 1) &+ 1 }

  @inline(never)
  private mutating func respond(
    toExtended command: Span<UInt8>, _ permission: UsePermission, into response: inout MutableRawSpan
  ) -> Int {
    guard let layout = try? CommandLayout(parsing: command) else { return Self.answer(.wrongLength, into: &response) }
    let data = command.part(at: layout.dataOffset, count: layout.dataCount)
    return dispatch(
      command.integer(at: 0, as: UInt32.self), data, layout.expectedLength, permission, into: &response)
  }

  /// - Parameters:
  ///   - header: CLA, INS, P1 and P2.
  ///   - limit: Ne, the most bytes of data in the response.
  @inline(__always)
  private mutating func dispatch(
    _ header: UInt32, _ data: Span<UInt8>, _ limit: Int, _ permission: UsePermission,
    into response: inout MutableRawSpan
  ) -> Int {
    switch header >> 16 {
    case 0x00A4: select(header, data, limit, into: &response)
    case 0x00B2: readRecord(header, data, limit, into: &response)
    case 0x80CA: getData(header, data, limit, into: &response)
    default: runProgram(header, data, limit, permission, into: &response)
    }
  }

  /// Runs the program of a command, if the application has one. See `CommandProgram` for the order of the checks.
  @inline(never)
  private mutating func runProgram(
    _ header: UInt32, _ data: Span<UInt8>, _ limit: Int, _ permission: UsePermission,
    into response: inout MutableRawSpan
  ) -> Int {
    guard header & 0x7F00_0000 == 0 else { return Self.answer(.classNotSupported, into: &response) }
    let entry = instructions.entry(UInt16(truncatingIfNeeded: header >> 16), for: state)
    guard let index = entry.program else {
      return Self.answer(entry.isOtherClass ? .classNotSupported : .instructionNotSupported, into: &response)
    }
    guard commands[index].accepts(UInt16(truncatingIfNeeded: header)) else {
      return Self.answer(.incorrectParameters, into: &response)
    }
    if commands[index].form == .exchangeRelayData, data.count != commands[index].valueCount {
      return Self.answer(.wrongLength, into: &response)
    }
    guard state.isIn(commands[index].stage) else { return Self.answer(.conditionsNotSatisfied, into: &response) }
    // Before the first change: the caller repeats the command with its permission.
    if permission.instant == nil, commands[index].asks { return 0 }
    return run(ProgramCall(index, p1: UInt8(truncatingIfNeeded: header >> 8)), data, limit, permission, into: &response)
  }
}

// MARK: Answers

extension Card {
  /// Answers with a status word alone.
  @inline(__always)
  static func answer(_ status: StatusWord, into response: inout MutableRawSpan) -> Int {
    response.put(status.rawValue, at: 0)
    return 2
  }

  /// Copies a ready-made response; 6Cxx when the command permits less data.
  @inline(__always)
  func answer(_ slice: ArenaSlice, _ limit: Int, into response: inout MutableRawSpan) -> Int {
    guard slice.count - 2 <= limit else { return Self.answer(available: slice.count - 2, into: &response) }
    return answer(slice, into: &response)
  }

  /// Copies a ready-made response that the command permits.
  @inline(__always)
  func answer(_ slice: ArenaSlice, into response: inout MutableRawSpan) -> Int {
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
