internal import Ciphers
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
  /// Those of the image, with the responses for the method of the arming.
  var commands: [CommandImage]
  /// Those of the image, with the responses for the method of the arming.
  var further: [FurtherResponses]
  let fills: [FillImage]
  /// The response to the selection of the directory, status word included.
  let directory: [UInt8]
  /// The exchange with the selected application; nil before a selection.
  var selected: ApplicationExchange?
  var use = CardUse()
  /// The values of GET PROCESSING OPTIONS.
  var optionsValues: [UInt8]
  var optionsValueCount = 0
  /// The values that the last computation used: those for CDOL1 or the UDOL, if such a list was used, then those of GET
  /// PROCESSING OPTIONS. Every arming brings the room for them.
  var terminalValues: [UInt8] = []
  /// The values of the command that asked for a cryptogram or a code.
  var listValues: [UInt8]
  var listValueCount = 0
  /// Room for the message of a cryptogram.
  var message: [UInt8]
  /// The number of bytes that the wallet adds, 0...14.
  var walletDataCount = 0
  /// For each application the two bytes that begin the code of track 2 (IVCVC3), then those of track 1.
  var initialVectors: [UInt16] = []
  var relay: RelayEntropy
  /// Room for a signature, as long as the signing key; empty for a card that makes none.
  var signatureBlock: [UInt8]
  /// The number of the card in tag 9F69, drawn for each arming.
  var cardNumber: UInt32 = 0
  let random: any RandomSource
  /// What the issuer and the payments before have changed.
  public internal(set) var state: CardState {
    didSet {
      isBlocked = state.isBlockedByIssuer
      isExceptional = isBlocked || long.isWaiting
    }
  }
  /// Whether the issuer has blocked the card or an application.
  private(set) var isBlocked: Bool
  /// Whether it has, or parts of a response wait for GET RESPONSE: read at each command.
  private(set) var isExceptional: Bool
  /// The state as the wallet has stored it.
  var storedState: CardState
  /// Whether a script has changed something that the wallet has not stored: its response waits for `endChange`.
  public internal(set) var hasUnstoredChange = false
  /// That change; nil without one.
  public internal(set) var unstoredChange: CardStateChange?
  /// Whether an application has a command that no scheme's program runs.
  let hasIssuerCommands: Bool
  /// What became of the issuer's response to the last ARQC.
  var outcome = IssuerOutcome()
  /// Whether the terminal has sent a command that only follows the issuer's response.
  var hasOutcome = false
  /// What begins the MAC of the next script command of format 1: the MAC of the last one, before it the cryptogram. Nil before
  /// the first script, when the session key is not derived yet.
  var scriptChain: UInt64?
  /// How many script commands with a wrong MAC the card has received since it was armed.
  var wrongMACCount = 0
  /// How many script commands with any MAC it has received since it was armed.
  var scriptCount = 0
  /// Whether the exchange with the issuer has ended because of them.
  var hasEndedIssuerExchange = false
  /// The signatures of INTERNAL AUTHENTICATE since the card was armed.
  var dynamicSignatures: DynamicSignatures
  /// What GET RESPONSE returns.
  var long: LongResponse {
    didSet { isExceptional = isBlocked || long.isWaiting }
  }
  /// What RECOVER AC returns.
  var torn: TornResponse
  /// The last computation since the card was armed.
  var computed: Computation?
  /// The amount that the card has approved without its issuer since it was armed; nil for none.
  var approvedAmount: UInt64?
  /// The progress of the payment since the field was switched on.
  public internal(set) var phase = CardPhase.idle
  /// Why an armed card refused to compute; nil when it did not. Arming resets it.
  public internal(set) var refusal: CardRefusal?

  /// Creates an unarmed card.
  ///
  /// - Parameters:
  ///   - image: The card's image.
  ///   - directory: The response to the selection of the directory (PPSE) in place of the image's: at most 256 bytes,
  ///     without a status word; nil for the image's own.
  ///   - state: What earlier payments and the issuer have changed; nil for a card as its issuer made it. That of another card
  ///     traps.
  ///   - random: The source of the entropy of the relay resistance protocol.
  public init(
    image: CardImage, directory: [UInt8]? = nil, state: CardState? = nil,
    random: any RandomSource = SystemRandomSource()
  ) {
    self.image = image
    let arena = image.arena
    self.arena = arena
    if let directory {
      precondition(directory.count + 2 <= shortResponseCapacity, "a directory has 256 bytes at most")
      self.directory = ResponseAPDU(data: directory).encoded
    } else {
      self.directory = arena[image.directoryResponse].array
    }
    images = image.images
    // A copy of its own, which an arming changes without an allocation.
    commands = image.commands.map { $0 }
    further = image.further.map { $0 }
    fills = image.fills
    optionsValues = [UInt8](repeating: 0, count: CommandProgram.maximumValueCount)
    listValues = [UInt8](repeating: 0, count: CommandProgram.maximumValueCount)
    message = [UInt8](repeating: 0, count: image.largestMessageCount)
    relay = RelayEntropy(random, isUsed: image.commands.contains { $0.form == .exchangeRelayData })
    let state = state ?? CardState(of: image)
    precondition(state.applications.count == image.applications.count, "the state is that of another card")
    self.state = state
    isBlocked = state.isBlockedByIssuer
    isExceptional = isBlocked
    storedState = state
    hasIssuerCommands = image.images.contains {
      $0.issuer != nil || $0.canRecover || $0.internalAuthentication != nil
    }
    long = LongResponse(longest: image.longestResponseCount)
    torn = TornResponse(longest: image.images.contains(where: \.canRecover) ? image.longestResponseCount + 2 : 0)
    let signatureCount = image.signingKey?.modulus.count ?? 0
    signatureBlock = [UInt8](repeating: 0, count: signatureCount)
    dynamicSignatures = DynamicSignatures(
      applicationCount: image.images.count,
      valueCount: image.images.compactMap { $0.internalAuthentication?.valueCount }.max() ?? 0,
      signatureCount: signatureCount)
    self.random = random
  }

  /// Gives the card one reserved use per application. Permitted while the field is on; replaces an earlier arming.
  public mutating func arm(_ arming: consuming Arming) {
    var arming = arming
    let (counters, keys) = (arming.counters.count, arming.keys.count)
    precondition(
      counters == image.applications.count && keys == image.keyCount, "the arming is for another card")
    walletDataCount = arming.walletData.count
    let method = arming.method
    for prepared in image.methodAnswers where prepared.method == method {
      commands[prepared.command].answer = prepared.answer
      let position = commands[prepared.command].further
      if position >= 0, let approval = prepared.approval { further[position].approval = approval }
    }
    initialVectors = arming.initialVectors
    let values = exchange(&terminalValues, with: exchange(&arming.terminalValues, with: []))
    if let computed { torn.keep(computed, values) }
    if let stored = arming.state {
      precondition(stored.applications.count == image.applications.count, "the state is that of another card")
      (state, storedState) = (stored, stored)
    }
    use = CardUse(arming)
    resetOutcome()
    if !signatureBlock.isEmpty { cardNumber = random.octets(4).reduce(0) { $0 << 8 | UInt32($1) } }
    // The next command checks the deadline of this arming.
    selected?.isInTime = false
    refusal = nil
    computed = nil
    if phase > .engaged { phase = .engaged }
  }

  /// Takes the keys away, and what the card has computed with them and not given yet: it repeats no response and gives no
  /// further part of one.
  public mutating func disarm() {
    use = CardUse()
    long.drop()
    torn.drop()
  }

  func isBlocked(_ application: Int) -> Bool { isBlocked && state.applications[application].isBlocked }

  /// Whether the card holds a use that is not spent.
  public var isArmed: Bool { use.stage == .reserved }
}

extension Card {
  /// Power, reset and loss of the field end the exchange; a spent use stays spent.
  public mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    // The response can be recovered also when the card is not armed again.
    if event == .lost, let computed { torn.keep(computed, terminalValues) }
    deselect()
    long.drop()
    phase = .idle
    relay.refill()
    // No response needs the keys of a spent use any more, unless the issuer's response comes in a second presentment.
    if use.stage == .spent, !startsAgain { use = CardUse() }
  }
}
