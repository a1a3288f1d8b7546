internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

/// Issuer scripts with secure messaging of format 2 (EMV 4.4 Book 2, 9.2 and Book 3, 6.5): the commands bring a MAC of 8 bytes
/// behind their data.
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

  private static var macCount: Int { 8 }

  /// A command of class 84; any other class is refused.
  mutating func runScript(
    _ command: CardCommand, _ data: Span<UInt8>, into response: inout MutableRawSpan
  ) -> Int {
    guard command.code >> 8 == 0x84, let index = selected?.index, let scripts = images[index].issuer?.scripts else {
      return Self.answer(.classNotSupported, into: &response)
    }
    guard let kind = ScriptCommand(rawValue: command.instruction) else {
      return Self.answer(.instructionNotSupported, into: &response)
    }
    return Self.answer(run(kind, command, data, scripts, index), into: &response)
  }

  private mutating func run(
    _ kind: ScriptCommand, _ command: CardCommand, _ data: Span<UInt8>, _ scripts: IssuerImage.Scripts, _ index: Int
  ) -> StatusWord {
    guard kind.isSupported else { return .functionNotSupported }
    guard kind == .putData || command.parameters == 0 else { return .incorrectParameters }
    guard let issuer = openExchange(of: index) else { return .conditionsNotSatisfied }
    guard !data.isEmpty else { return .secureMessagingDataMissing }
    guard data.count >= Self.macCount else { return .secureMessagingDataIncorrect }
    noteIssuerCommand(issuer)
    let value = data.part(at: 0, count: data.count - Self.macCount)
    let found = data.integer(at: value.count, as: UInt64.self)
    guard let mac = scriptMAC(command, value, scripts, index), found ^ mac == 0 else {
      return .secureMessagingDataIncorrect
    }
    return apply(kind, UInt32(command.parameters), value, scripts, index)
  }

  private mutating func scriptMAC(
    _ command: CardCommand, _ value: Span<UInt8>, _ scripts: IssuerImage.Scripts, _ index: Int
  ) -> UInt64? {
    guard let computed, let key = key(of: index, .scriptIntegrity) else { return nil }
    if scripts.derivesKey, !hasScriptKey {
      use.deriveSessionKey(at: key, diversifier: computed.cryptogram)
      hasScriptKey = true
    }
    let header =
      UInt64(command.code) << 24 | UInt64(command.parameters) << 8 | UInt64(value.count + Self.macCount)
    let transaction = (counter: computed.transactionCounter, cryptogram: computed.cryptogram)
    return use.scriptMAC(header, scripts.coversTransaction ? transaction : nil, value, with: key)
  }

  private mutating func apply(
    _ kind: ScriptCommand, _ parameters: UInt32, _ value: Span<UInt8>, _ scripts: IssuerImage.Scripts, _ index: Int
  ) -> StatusWord {
    let before = state
    defer { hasUnstoredChange = state != before }
    guard kind == .putData else {
      guard value.isEmpty else { return .wrongLength }
      switch kind {
      case .applicationBlock: state.applications[index].isBlocked = true
      case .applicationUnblock: state.applications[index].isBlocked = false
      case .cardBlock: state.isBlocked = true
      case .putData, .updateRecord, .pinChange: break
      }
      return .ok
    }
    let tag = Tag(rawValue: parameters)
    guard scripts.writableTags.contains(tag), let count = valueCount(of: tag, in: index) else {
      return .referencedDataNotFound
    }
    guard value.count == count else { return .wrongLength }
    state.applications[index].data[tag] = value.array
    return .ok
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
    if isStored { storedState = state } else { state = storedState }
    return Self.answer(isStored ? .ok : .memoryFailure, into: &response)
  }
}
