internal import EMVCryptography
public import ISO7816
public import Octets

/// A card: C-APDU in, R-APDU out. It starts from an image and holds no key, so unarmed it can only refuse.
///
/// Owned by one thread. It allocates when it is made and never on the path of an APDU.
public struct Card: ~Copyable {
  let image: CardImage
  // Held directly: a span can be lent from a stored property, not from a property of a shared object.
  let arena: Arena
  let images: [ApplicationImage]
  var arming: Arming?
  /// Whether the arming's use has been spent by a computation.
  var isSpent = false
  /// Which application is selected, by its place in the image; nil after a reset.
  var selected: Int?
  /// Whether GET PROCESSING OPTIONS was answered since the selection.
  var isInitiated = false
  /// What the terminal sent for the PDOL.
  var terminalValues: [UInt8]
  var terminalValueCount = 0
  var computed: Computation?
  /// How far the payment has come since the field was switched on.
  public internal(set) var phase = CardPhase.idle
  /// Why an armed card refused, if it did.
  public internal(set) var refusal: CardRefusal?

  struct Computation {
    let application: Int
    let transactionCounter: UInt16
    let cryptogram: UInt64
    var isComplete = false
  }

  /// Makes an unarmed card.
  public init(image: CardImage) {
    self.image = image
    arena = image.arena
    images = image.images
    terminalValues = [UInt8](repeating: 0, count: 255)
  }

  /// Gives the card one reserved use per application. May come while the field is on; replaces what was there.
  public mutating func arm(_ arming: consuming Arming) {
    let (counters, keys) = (arming.counters.count, arming.keys.count)
    precondition(
      counters == image.applications.count && keys == image.keyCount, "the arming is for another card")
    self.arming = consume arming
    isSpent = false
    refusal = nil
    computed = nil
    if phase > .engaged { phase = .engaged }
  }

  /// Takes the keys away. An answer already given stays given.
  public mutating func disarm() {
    arming = nil
  }

  /// Whether the card could compute.
  public var isArmed: Bool { arming != nil && !isSpent }

  /// What happened, or nil when nothing was computed since the card was armed.
  public var record: TransactionRecord? {
    guard let computed else { return nil }
    return TransactionRecord(
      application: computed.application, transactionCounter: computed.transactionCounter,
      cryptogram: computed.cryptogram, terminalValues: Array(terminalValues.prefix(terminalValueCount)),
      isComplete: computed.isComplete)
  }
}

extension Card: CommandResponder {
  /// Takes notice of the field: power, reset and loss begin anew; what was spent stays spent.
  public mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    selected = nil
    isInitiated = false
    phase = .idle
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
    case (0x00, _), (0x80, _): return Self.answer(.instructionNotSupported, into: &response)
    default: return Self.answer(.classNotSupported, into: &response)
    }
  }

  /// Answers with a status word alone.
  static func answer(_ status: StatusWord, into response: inout MutableRawSpan) -> Int {
    response.put(status.rawValue, at: 0)
    return 2
  }
}
