internal import EMVData
internal import ISO7816
internal import Octets

/// Issuer scripts (EMV 4.4 Book 3, 6.5) with secure messaging of format 1, class 8C, or of format 2, class 84.
extension Card {
  /// A script command by its instruction.
  private enum ScriptCommand: UInt8 {
    case applicationBlock = 0x1E
    case applicationUnblock = 0x18
    case cardBlock = 0x16
    case putData = 0xDA
    case updateRecord = 0xDC
    case pinChange = 0x24

    /// The functions of cards that this engine does not have: its records do not change, and it has no PIN of its own.
    var isSupported: Bool { self != .updateRecord && self != .pinChange }
  }

  /// A command of class 84 or 8C; any other class is refused.
  mutating func runScript(
    _ command: CardCommand, _ data: Span<UInt8>, into response: inout MutableRawSpan
  ) -> Int {
    guard let format = ScriptFormat(rawValue: command.code >> 8), let index = selected?.index,
      let scripts = images[index].issuer?.scripts
    else {
      return Self.answer(.classNotSupported, into: &response)
    }
    guard let kind = ScriptCommand(rawValue: command.instruction) else {
      return Self.answer(.instructionNotSupported, into: &response)
    }
    return Self.answer(run(kind, format, command, data, scripts, index), into: &response)
  }

  private mutating func run(
    _ kind: ScriptCommand, _ format: ScriptFormat, _ command: CardCommand, _ data: Span<UInt8>,
    _ scripts: IssuerImage.Scripts, _ index: Int
  ) -> StatusWord {
    guard kind.isSupported else { return .functionNotSupported }
    guard let issuer = openExchange(of: index) else { return .conditionsNotSatisfied }
    guard !data.isEmpty else { return .secureMessagingDataMissing }
    guard let parts = format.parts(of: data) else { return .secureMessagingDataIncorrect }
    guard !parts.mac.isEmpty else { return .secureMessagingDataMissing }
    noteIssuerCommand(issuer)
    let isRight = checkMAC(format, command, data, parts, scripts, index)
    countScript(isRight, scripts)
    guard kind == .putData || command.parameters == 0 else { return .incorrectParameters }
    guard isRight else { return .secureMessagingDataIncorrect }
    return apply(kind, UInt32(command.parameters), data.extracting(parts.value), scripts, index)
  }

  /// The most script commands of an arming. The terminal must have room for 128 bytes of scripts (EMV 4.4 Book 3, 10.10), which
  /// are 9 commands; a command of format 2 could be repeated without end.
  static var maximumScripts: Int { 32 }

  /// Counts a command whose MAC was checked. The exchange with the issuer ends at the limits.
  private mutating func countScript(_ isRight: Bool, _ scripts: IssuerImage.Scripts) {
    scriptCount += 1
    if !isRight { wrongMACCount += 1 }
    if wrongMACCount >= scripts.wrongMACLimit || scriptCount >= Self.maximumScripts { endIssuerExchange() }
  }

  /// Whether the MAC of a command is right. The chain of format 1 goes on with the MAC that the card computes.
  private mutating func checkMAC(
    _ format: ScriptFormat, _ command: CardCommand, _ data: Span<UInt8>, _ parts: ScriptFormat.Parts,
    _ scripts: IssuerImage.Scripts, _ index: Int
  ) -> Bool {
    guard let computed, let key = key(of: index, .scriptIntegrity) else { return false }
    if scripts.derivesKey, scriptChain == nil {
      use.deriveSessionKey(at: key, diversifier: computed.cryptogram)
    }
    let chain = scriptChain ?? computed.cryptogram
    let header = UInt64(command.code) << 16 | UInt64(command.parameters)
    let covered = data.extracting(parts.object)
    let transaction = (counter: computed.transactionCounter, cryptogram: computed.cryptogram)
    let mac =
      switch format {
      case .chained: use.scriptMAC(after: chain, header, covered, with: key)
      case .plain:
        use.scriptMAC(
          header << 8 | UInt64(data.count), scripts.coversTransaction ? transaction : nil, covered, with: key)
      }
    scriptChain = format == .chained ? mac : chain
    let found = data.integer(at: parts.mac.lowerBound, count: parts.mac.count)
    return found ^ mac >> UInt64(64 - 8 * parts.mac.count) == 0
  }

  private mutating func apply(
    _ kind: ScriptCommand, _ parameters: UInt32, _ value: Span<UInt8>, _ scripts: IssuerImage.Scripts, _ index: Int
  ) -> StatusWord {
    guard kind == .putData else {
      guard value.isEmpty else { return .wrongLength }
      switch kind {
      case .applicationBlock: keep(.blockApplication(index))
      case .applicationUnblock: keep(.unblockApplication(index))
      case .cardBlock: keep(.blockCard)
      case .putData, .updateRecord, .pinChange: break
      }
      return .ok
    }
    let tag = Tag(rawValue: parameters)
    guard scripts.writableTags.contains(tag), let count = valueCount(of: tag, in: index) else {
      return .referencedDataNotFound
    }
    guard value.count == count else { return .wrongLength }
    keep(.putData(tag, value.array, application: index))
    return .ok
  }

  /// Makes a change that the wallet must store before it is acknowledged, also one that changes nothing here: another payment with the card
  /// may have changed what is stored.
  private mutating func keep(_ change: CardStateChange) {
    state.apply(change)
    unstoredChange = change
    hasUnstoredChange = true
  }

  // MARK: Written values

  /// The number of bytes of the value that GET DATA returns for a tag.
  private func valueCount(of tag: Tag, in index: Int) -> Int? {
    let object = images[index].dataObjects.first { UInt32($0.parameters) == tag.rawValue }
    guard let object,
      let node = try? [TLVNode](parsing: arena[object.response].part(at: 0, count: object.response.count - 2))
    else { return nil }
    return node.first?.value.count
  }

  /// The value that a script has written in place of the profile's; nil for none.
  func writtenValue(of parameters: UInt16, in index: Int) -> [UInt8]? {
    guard images[index].issuer?.scripts != nil else { return nil }
    return state.applications[index].data[Tag(rawValue: UInt32(parameters))]
  }

  /// Copies a ready-made response with another value, which ends it.
  func answer(
    _ value: [UInt8], of object: KeyedResponse, _ limit: Int, into response: inout MutableRawSpan
  ) -> Int {
    let count = answer(object.response, limit, into: &response)
    // A stored value of another length belongs to an earlier profile.
    if count > 2 + value.count { response.copy(value.span, to: count - 2 - value.count) }
    return count
  }

  /// The wallet has stored what a script has changed, or could not: then the card is as before, and the command failed.
  public mutating func endChange(isStored: Bool, into response: inout MutableRawSpan) -> Int {
    hasUnstoredChange = false
    unstoredChange = nil
    if isStored { storedState = state } else { state = storedState }
    return Self.answer(isStored ? .ok : .memoryFailure, into: &response)
  }
}
