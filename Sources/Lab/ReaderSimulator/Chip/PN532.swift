/// A PN532 with firmware 1.6, or a chip of its family, without its host link (NXP UM0701-02): commands in, responses out,
/// and frames of the field in and out. Pure: each method is one event and returns what the chip does.
///
/// It simulates types A and B at 106 kbit/s as a reader, and type A as a card. Cards of other types and peers of NFCIP-1
/// never answer. A command that comes while another one runs replaces that one.
package struct PN532: Sendable {
  /// What the chip does for the command that runs.
  enum Activity: Sendable {
    case none
    case activating(PN532Search)
    case exchanging
    case communicating(isChecked: Bool)
    case deselecting
    case checkingPresence
    /// The search found nothing, and only the host can end it.
    case searchingForever
    case pausing(PN532Search)
    case listening
    /// As a card: the chip waits for the next command or frame of the reader.
    case awaiting
    case delivering
  }

  let model: ChipModel
  var registers = PN532Registers()
  /// SetParameters: fAutomaticRATS is bit 5, fISO14443-4_PICC is bit 6 (UM0701-02, 7.2.9).
  var parameters: UInt8 = 0x14
  /// Whether a second card is in the field. It is found, and takes no part in an exchange.
  var hasSecondCard = false
  /// MxRtyPassiveActivation: how often the chip repeats a search; FF is without a limit (7.3.1).
  var searchRetries: UInt8 = 0xFF
  /// The timeout of commands that leave ISO-DEP to the host: 100 us x 2^(n-1), 0 is without a limit (7.3.1).
  var retryTimeout: UInt8 = 0x0A
  var activity = Activity.none
  var command = PN532Command.getFirmwareVersion
  var hasCarrier = false
  var lastStatus = PN532Status.success

  // The role as a reader.
  var card: ActivatedCard?
  /// Whether that card is selected. A card that was deselected can be selected again by its number.
  var isActive = false
  /// Whether the selection of a card failed halfway, so that the state of the card is unknown.
  var mustResetCard = false
  /// The ISO-DEP protocol with that card, while it runs.
  var isodep: ISODEPReader?
  /// The parts of a command that the host sent with the bit for more information.
  var outgoing: [UInt8] = []
  /// The part of a response that did not fit into one frame.
  var remaining: ArraySlice<UInt8> = []

  // The role as a card.
  var target: PN532TargetRole?
  var seesField = false

  /// The most data of a response behind the status byte (UM0701-02, 7.3.8).
  static let maximumDataCount = 262

  /// Creates a chip that was just powered.
  package init(_ model: ChipModel = .pn532) { self.model = model }

  /// The host sends a command: its code and parameters.
  package mutating func run(_ content: [UInt8]) -> [PN532Effect] {
    let ended = abort()
    guard let code = content.first, let known = PN532Command(rawValue: code), model.has(known) else {
      return ended + [.syntaxError]
    }
    command = known
    return ended + perform(Array(content.dropFirst()))
  }

  /// The host aborts the command that runs. The chip does not answer it; as an activated target it keeps its state.
  package mutating func abort() -> [PN532Effect] {
    let wasListening = if case .listening = activity { true } else { false }
    let wasPausing = if case .pausing = activity { true } else { false }
    activity = .none
    if wasListening { target = nil }
    return wasListening || wasPausing ? [.alarm(nil)] : []
  }

  private mutating func perform(_ parameters: [UInt8]) -> [PN532Effect] {
    switch command {
    case .diagnose, .getFirmwareVersion, .getGeneralStatus, .readRegister, .writeRegister, .readGPIO, .writeGPIO,
      .setSerialBaudRate, .setParameters, .samConfiguration, .powerDown, .rfConfiguration:
      configure(parameters)
    case .inDataExchange, .inCommunicateThru, .inDeselect, .inJumpForPSL, .inListPassiveTarget, .inPSL, .inATR,
      .inRelease, .inSelect, .inJumpForDEP, .inAutoPoll:
      initiate(parameters)
    case .tgGetData, .tgGetInitiatorCommand, .tgGetTargetStatus, .tgInitAsTarget, .tgSetData, .tgResponseToInitiator,
      .tgSetGeneralBytes, .tgSetMetaData:
      serve(parameters)
    }
  }

  /// As a reader, the chip receives a frame, or nil when no frame began in time.
  package mutating func receive(_ frame: AirFrame?) -> [PN532Effect] {
    switch activity {
    case .activating(let search): searched(search, frame)
    case .exchanging: exchanged(frame)
    case .communicating(let isChecked): communicated(frame, isChecked)
    case .deselecting: deselected(frame)
    case .checkingPresence: presence(frame)
    case .none, .searchingForever, .pausing, .listening, .awaiting, .delivering: []
    }
  }

  /// As a card, the chip receives a frame.
  package mutating func receiveAsCard(_ frame: AirFrame) -> [PN532Effect] {
    targeted(frame)
  }

  /// The field of another chip was switched on or off.
  package mutating func fieldChanged(isThere: Bool) -> [PN532Effect] {
    seesField = isThere
    return targetFieldChanged()
  }

  /// The time of the last `PN532Effect.alarm` is over.
  package mutating func alarm() -> [PN532Effect] {
    if case .pausing(let search) = activity { return begin(search) }
    return extendTarget()
  }

  /// Whether the chip listens as a card, so that a reader can find it.
  package var isTarget: Bool { target != nil }

  // MARK: Responses

  /// Answers the command with data and ends it.
  mutating func reply(_ data: [UInt8] = []) -> [PN532Effect] {
    activity = .none
    return [.reply([command.responseCode] + data)]
  }

  /// Answers the command with a status byte and ends it.
  mutating func reply(_ status: PN532Status) -> [PN532Effect] {
    lastStatus = status
    return reply([status.rawValue])
  }

  /// Answers with a status byte and as much data as fits; the rest follows in the response to the next command of this
  /// kind.
  mutating func deliver(_ data: ArraySlice<UInt8>) -> [PN532Effect] {
    lastStatus = .success
    remaining = data.dropFirst(Self.maximumDataCount)
    let status = remaining.isEmpty ? 0 : PN532Status.moreInformation
    return reply([status] + data.prefix(Self.maximumDataCount))
  }

  /// Switches the chip's own field, unless it is already in that state.
  mutating func carrier(_ on: Bool) -> [PN532Effect] {
    guard hasCarrier != on else { return [] }
    hasCarrier = on
    if !on {
      isodep = nil
      isActive = false
    }
    return [.carrier(on)]
  }
}
