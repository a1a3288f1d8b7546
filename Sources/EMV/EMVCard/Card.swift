internal import EMVCryptography
public import ISO7816
public import Octets

/// A card: C-APDU in, R-APDU out. It starts from an image and holds no key, so unarmed it can only refuse, in the way
/// that each kernel expects.
///
/// Owned by one thread. It allocates when it is made, armed or put into a field, and never on the path of an APDU.
public struct Card: ~Copyable {
  let image: CardImage
  // Held directly: a span can be lent from a stored property, not from a property of a shared object.
  let arena: Arena
  let images: [ApplicationImage]
  /// The answer to the selection of the directory, status word included; empty for the image's own.
  let directory: [UInt8]
  var arming: Arming?
  /// Whether the arming's use has been spent by a computation.
  var isSpent = false
  /// Whether the arming's deadline was met since the selection.
  var isInTime = false
  /// Which application is selected, by its place in the image; nil after a reset.
  var selected: Int?
  /// Whether GET PROCESSING OPTIONS was answered since the selection.
  var isInitiated = false
  /// Whether the command that asks for a cryptogram or a code was answered since then.
  var hasAnswered = false
  /// Whether the terminal said at GET PROCESSING OPTIONS that it knows of mobile devices.
  var isMobileSupported = false
  /// What the terminal sent for the PDOL.
  var terminalValues: [UInt8]
  var terminalValueCount = 0
  /// What it sent for CDOL1 or the UDOL.
  // The values of GET PROCESSING OPTIONS that a computation rests on.
  var recordValues: [UInt8]
  var recordValueCount = 0
  var listValues: [UInt8]
  var listValueCount = 0
  /// The IVCVC3 of track 2 and of track 1, for each application.
  var initialVectors: [UInt16]
  var relay: RelayEntropy
  var computed: Computation?
  /// How far the payment has come since the field was switched on.
  public internal(set) var phase = CardPhase.idle
  /// Why an armed card refused, if it did.
  public internal(set) var refusal: CardRefusal?

  /// Makes an unarmed card.
  ///
  /// - Parameters:
  ///   - image: The card's image.
  ///   - directory: What the card answers to the selection of the directory (PPSE) in the place of what its image says:
  ///     256 octets at most, without a status word; nil for the image's own.
  ///   - random: Where the entropy of the relay resistance protocol comes from.
  public init(
    image: CardImage, directory: [UInt8]? = nil, random: any RandomSource = SystemRandomSource()
  ) {
    self.image = image
    let ownDirectory = directory.map { ResponseAPDU(data: $0).encoded } ?? []
    precondition(ownDirectory.count <= shortResponseCapacity, "a directory has 256 octets at most")
    self.directory = ownDirectory
    arena = image.arena
    images = image.images
    terminalValues = [UInt8](repeating: 0, count: 255)
    recordValues = [UInt8](repeating: 0, count: 255)
    listValues = [UInt8](repeating: 0, count: 255)
    initialVectors = [UInt16](repeating: 0, count: image.images.count * 2)
    let exchangesRelayData = image.images.contains { $0.commands.contains(.exchangeRelayData) }
    relay = RelayEntropy(random, isUsed: exchangesRelayData)
  }

  /// Gives the card one reserved use per application. May come while the field is on; replaces what was there.
  public mutating func arm(_ arming: consuming Arming) {
    let (counters, keys) = (arming.counters.count, arming.keys.count)
    precondition(
      counters == image.applications.count && keys == image.keyCount, "the arming is for another card")
    self.arming = consume arming
    isSpent = false
    isInTime = false
    refusal = nil
    computed = nil
    if phase > .engaged { phase = .engaged }
    prepareChecksums()
  }

  /// Takes the keys away. An answer already given stays given.
  public mutating func disarm() {
    arming = nil
  }

  /// Whether the card could compute.
  public var isArmed: Bool { arming != nil && !isSpent }
}

extension Card: CommandResponder {
  /// Takes notice of the field: power, reset and loss begin anew; what was spent stays spent.
  public mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    deselect()
    phase = .idle
    relay.refill()
    // The schedules of a spent key go as soon as no answer waits for them.
    if isSpent { arming = nil }
  }

  /// Answers one command, whatever it is. Errors are answered by status words.
  public mutating func respond(
    to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan
  ) -> Int {
    if phase == .idle { phase = .engaged }
    guard let layout = try? CommandLayout(parsing: command) else { return Self.answer(.wrongLength, into: &response) }
    let data = command.extracting(layout.dataOffset..<layout.dataOffset + layout.dataCount)
    let (p1, p2) = (command[2], command[3])
    switch (command[0], command[1]) {
    case (0x00, Instruction.select): return select(p1, p2, data, into: &response)
    case (0x00, Instruction.readRecord): return readRecord(p1, p2, data, into: &response)
    case (0x80, Instruction.getProcessingOptions):
      return getProcessingOptions(p1, p2, data, at: instant, into: &response)
    case (0x80, Instruction.getData): return getData(p1, p2, data, into: &response)
    case (0x80, Instruction.generateAC) where answers(.generateAC):
      return generateCryptogram(p1, p2, data, at: instant, into: &response)
    case (0x80, CardInstruction.computeChecksum) where answers(.computeChecksum):
      return computeChecksum(p1, p2, data, at: instant, into: &response)
    case (0x80, CardInstruction.exchangeRelayData) where answers(.exchangeRelayData):
      return exchangeRelayData(p1, p2, data, into: &response)
    case (0x00, _), (0x80, _): return Self.answer(.instructionNotSupported, into: &response)
    default: return Self.answer(.classNotSupported, into: &response)
    }
  }

  /// Whether the selected application, or before a selection any, knows a command.
  private func answers(_ command: CommandSet) -> Bool {
    if let selected { return images[selected].commands.contains(command) }
    var index = 0
    while index < images.count {
      if images[index].commands.contains(command) { return true }
      index += 1
    }
    return false
  }

  /// Answers with a status word alone.
  static func answer(_ status: StatusWord, into response: inout MutableRawSpan) -> Int {
    response.put(status.rawValue, at: 0)
    return 2
  }
}

/// Instructions of kernel 2 that no other kernel has (known from public recordings).
enum CardInstruction {
  /// COMPUTE CRYPTOGRAPHIC CHECKSUM.
  static let computeChecksum: UInt8 = 0x2A
  /// EXCHANGE RELAY RESISTANCE DATA.
  static let exchangeRelayData: UInt8 = 0xEA
}
