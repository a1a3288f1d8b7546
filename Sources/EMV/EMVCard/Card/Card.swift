internal import EMVCryptography
public import ISO7816
public import Octets

/// A card: C-APDU in, R-APDU out. It starts from an image and holds no key, so that an unarmed card only refuses, in
/// the way that the kernel of the selected application expects.
///
/// Owned by one thread. It allocates when it is created, armed or put into a field, and never while it answers a
/// command.
public struct Card: ~Copyable {
  let image: CardImage
  // Copies of the image's properties: a span can be lent from a stored property, not from a property of a shared
  // object.
  let arena: Arena
  let images: [ApplicationImage]
  /// Those of the image, with the answers for the method of the arming.
  var commands: [CommandImage]
  let fills: [FillImage]
  /// The answer to the selection of the directory, status word included; empty for the image's own.
  let directory: [UInt8]
  var state = CardState.idle
  var use = CardUse.none
  /// The values of GET PROCESSING OPTIONS.
  var optionsValues: [UInt8]
  var optionsValueCount = 0
  /// The values of GET PROCESSING OPTIONS that the last computation used.
  var recordValues: [UInt8]
  var recordValueCount = 0
  /// The values of the command that asked for a cryptogram or a code.
  var listValues: [UInt8]
  var listValueCount = 0
  /// The number of octets that the wallet adds, 0...14.
  var walletDataCount = 0
  /// For each application the two octets that begin the code of track 2 (IVCVC3), then those of track 1.
  var initialVectors: [UInt16]
  var relay: RelayEntropy
  /// The last computation since the card was armed.
  var computed: Computation?
  /// The progress of the payment since the field was switched on.
  public internal(set) var phase = CardPhase.idle
  /// Why an armed card refused to compute; nil when it did not. Arming resets it.
  public internal(set) var refusal: CardRefusal?

  /// Creates an unarmed card.
  ///
  /// - Parameters:
  ///   - image: The card's image.
  ///   - directory: The answer to the selection of the directory (PPSE) in place of the image's: at most 256 octets,
  ///     without a status word; nil for the image's own.
  ///   - random: The source of the entropy of the relay resistance protocol.
  public init(
    image: CardImage, directory: [UInt8]? = nil, random: any RandomSource = SystemRandomSource()
  ) {
    self.image = image
    let ownDirectory = directory.map { ResponseAPDU(data: $0).encoded } ?? []
    precondition(ownDirectory.count <= shortResponseCapacity, "a directory has 256 octets at most")
    self.directory = ownDirectory
    arena = image.arena
    images = image.images
    commands = image.commands
    fills = image.fills
    optionsValues = [UInt8](repeating: 0, count: 255)
    recordValues = [UInt8](repeating: 0, count: 255)
    listValues = [UInt8](repeating: 0, count: 255)
    initialVectors = [UInt16](repeating: 0, count: image.images.count * 2)
    relay = RelayEntropy(random, isUsed: image.commands.contains { $0.form == .exchangeRelayData })
  }

  /// Gives the card one reserved use per application. Permitted while the field is on; replaces an earlier arming.
  public mutating func arm(_ arming: consuming Arming) {
    let (counters, keys) = (arming.counters.count, arming.keys.count)
    precondition(
      counters == image.applications.count && keys == image.keyCount, "the arming is for another card")
    prepareCodes(arming.keys)
    walletDataCount = arming.walletData.count
    let method = arming.method
    for prepared in image.methodAnswers where prepared.method == method {
      commands[prepared.command].answer = prepared.answer
    }
    use = .reserved(arming)
    state.restartDeadline()
    refusal = nil
    computed = nil
    if phase > .engaged { phase = .engaged }
  }

  /// Takes the keys away. An answer that the card has given stays valid.
  public mutating func disarm() {
    use = .none
  }

  /// Whether the card holds a use that is not spent.
  public var isArmed: Bool { use.isReserved }
}

extension Card: CommandResponder {
  /// Power, reset and loss of the field end the exchange; a spent use stays spent.
  public mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    deselect()
    phase = .idle
    relay.refill()
    // No answer needs the keys of a spent use any more.
    if use.isSpent { use = .none }
  }

  /// Answers any command. Errors are answered by status words.
  public mutating func respond(
    to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan
  ) -> Int {
    if phase == .idle { phase = .engaged }
    guard let layout = try? CommandLayout(parsing: command) else { return Self.answer(.wrongLength, into: &response) }
    let data = command.extracting(layout.dataOffset..<layout.dataOffset + layout.dataCount)
    let (p1, p2, limit) = (command[2], command[3], layout.expectedLength)
    switch (command[0], command[1]) {
    case (0x00, Instruction.select): return select(p1, p2, data, limit, into: &response)
    case (0x00, Instruction.readRecord): return readRecord(p1, p2, data, limit, into: &response)
    case (0x80, Instruction.getData): return getData(p1, p2, data, limit, into: &response)
    case (0x00, _), (0x80, _):
      let code = UInt16(command[0]) << 8 | UInt16(command[1])
      guard let index = program(code) else { return refuse(code, into: &response) }
      return run(index, p1, p2, data, limit, at: instant, into: &response)
    default: return Self.answer(.classNotSupported, into: &response)
    }
  }

  /// Answers a command that this card does not have: 6E00 when it has the instruction in its other class, 00 or 80,
  /// and 6D00 otherwise (ISO/IEC 7816-4:2013, table 6).
  private func refuse(_ code: UInt16, into response: inout MutableRawSpan) -> Int {
    let other = code ^ 0x8000
    let isKnown = Self.hasNoProgram(other) || program(other) != nil
    return Self.answer(isKnown ? .classNotSupported : .instructionNotSupported, into: &response)
  }

  /// Whether CLA and INS are those of a command that is the same for all schemes.
  private static func hasNoProgram(_ code: UInt16) -> Bool {
    let (interindustry, proprietary) = (code >> 8 == 0x00, code >> 8 == 0x80)
    switch UInt8(code & 0xFF) {
    case Instruction.select, Instruction.readRecord: return interindustry
    case Instruction.getData: return proprietary
    default: return false
    }
  }

  /// The position of the program of a command: of the selected application, or before a selection of any application.
  private func program(_ code: UInt16) -> Int? {
    var index = 0
    var end = commands.count
    if let selected = state.application {
      index = images[selected].firstCommand
      end = index + images[selected].commandCount
    }
    while index < end {
      if commands[index].code == code { return index }
      index += 1
    }
    return nil
  }

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
