internal import ISO7816

/// A PN532 with firmware 1.6, without its host link: commands in, responses out; frames of the field in and out
/// (NXP UM0701-02). Pure: every method is one event and returns what the chip does.
///
/// Type A at 106 kbit/s is there in both roles; cards of other kinds never answer, peers of NFCIP-1 neither. A command
/// that comes while another one runs takes its place.
package struct PN532: Sendable {
  /// What the chip is doing for the command that runs.
  enum Activity: Sendable {
    case none
    case activating(PN532Search)
    case exchanging
    case communicating(isChecked: Bool)
    case deselecting
    case checkingPresence
    /// Nothing is found and nothing ends the search but the host.
    case searchingForever
    case pausing(PN532Search)
    case listening
    /// As a card: the next command or frame is due.
    case awaiting
    case delivering
  }

  var registers = PN532Registers()
  /// SetParameters: fAutomaticRATS is bit 5, fISO14443-4_PICC bit 6 (UM0701-02, 7.2.9).
  var parameters: UInt8 = 0x14
  /// MxRtyPassiveActivation: how often a search is repeated; FF is for ever (7.3.1).
  var searchRetries: UInt8 = 0xFF
  /// The waiting time of commands that leave the protocol to the host: 100 us x 2^(n-1), 0 for none (7.3.1).
  var retryTimeout: UInt8 = 0x0A
  var activity = Activity.none
  var command = PN532Command.getFirmwareVersion
  var hasCarrier = false
  var lastStatus = PN532Status.success

  // As a reader.
  var card: ActivatedCard?
  /// Whether that card is selected; one that was deselected can be selected again by its number.
  var isActive = false
  /// Whether an attempt to select a card failed on the way, so that the card may be in any state.
  var hasLostCard = false
  /// The protocol with that card, while it runs.
  var half: ISODEPReader?
  /// What the host announced with its bit for more information.
  var outgoing: [UInt8] = []
  /// The part of a response that did not fit into one frame.
  var remaining: ArraySlice<UInt8> = []

  // As a card.
  var target: PN532TargetRole?
  var seesField = false

  /// The data of one frame beside the status octet (UM0701-02, 7.3.8).
  static let maximumDataCount = 262

  /// A chip that was just powered.
  package init() {}

  /// The host sends a command: its code and parameters.
  package mutating func run(_ content: [UInt8]) -> [PN532Effect] {
    let ended = abort()
    guard let code = content.first, let known = PN532Command(rawValue: code) else { return ended + [.syntaxError] }
    command = known
    return ended + perform(Array(content.dropFirst()))
  }

  /// The host gives up the command that runs. The chip falls silent; what it holds as a target it keeps.
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

  /// A frame reached the chip as a reader, or none did in time.
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

  /// A frame reached the chip as a card.
  package mutating func receiveAsCard(_ frame: AirFrame) -> [PN532Effect] {
    targeted(frame)
  }

  /// Another field came or went.
  package mutating func fieldChanged(isThere: Bool) -> [PN532Effect] {
    seesField = isThere
    return targetFieldChanged()
  }

  /// The alarm fired.
  package mutating func alarm() -> [PN532Effect] {
    if case .pausing(let search) = activity { return begin(search) }
    return extendTarget()
  }

  /// Whether the chip listens as a card, so that a reader can find it.
  package var isTarget: Bool { target != nil }

  // MARK: Answers

  /// Answers the command with data, and has done with it.
  mutating func reply(_ data: [UInt8] = []) -> [PN532Effect] {
    activity = .none
    return [.reply([command.responseCode] + data)]
  }

  /// Answers the command with a status octet, and has done with it.
  mutating func reply(_ status: PN532Status) -> [PN532Effect] {
    lastStatus = status
    return reply([status.rawValue])
  }

  /// Answers with a status octet and as much data as fit; the rest waits for the next command of the same kind.
  mutating func deliver(_ data: ArraySlice<UInt8>) -> [PN532Effect] {
    lastStatus = .success
    remaining = data.dropFirst(Self.maximumDataCount)
    let status = remaining.isEmpty ? 0 : PN532Status.moreInformation
    return reply([status] + data.prefix(Self.maximumDataCount))
  }

  /// Switches the own field, if it is not so already.
  mutating func carrier(_ on: Bool) -> [PN532Effect] {
    guard hasCarrier != on else { return [] }
    hasCarrier = on
    if !on {
      half = nil
      isActive = false
    }
    return [.carrier(on)]
  }
}
