internal import ISO7816
public import Links
internal import Octets
internal import Synchronization

/// A card in the field of an ACR122 reader, driven through the commands of its PN532. An ACR122U waits for a response
/// for at most 5 s, and libccid for at most 3 s.
public typealias ACR122Channel = ChipChannel<ACR122Device>

/// A card that the PN532 of an ACR122 reader presents to a terminal.
///
/// Readers and drivers limit the wait for a terminal: an ACR122U ends it after 5 s, libccid after 3 s. The card is then
/// presented again at once; a terminal that arrives in between must try again.
///
/// Nothing interrupts the call with which the chip waits for a terminal. After `stop()` the chip can therefore still be
/// selected until that call ends; it answers no command, and the device takes no other role until then.
public typealias ACR122Link = ChipLink<ACR122Device>

/// A reader of the ACR122 family: a PN532 behind the escape commands of a PC/SC driver, which can also be a card.
///
/// The device is claimed for this program, and its own search for cards is switched off until the device is closed. It
/// has one role at a time. The reader's limit of 5 s for its chip and the number of attempts per search remain set
/// until the reader loses power.
///
/// The CCID driver ships with escape commands disabled: set the bit 0x0001 of `ifdDriverOptions` in
/// /etc/libccid_Info.plist.
public final class ACR122Device: Sendable {
  /// The longest command to a card, in bytes: the reader takes 255 at a time, including D4, code and target number.
  public static let maximumCommandCount = ACR122Frame.maximumCommandCount - 2
  /// The longest response of a presented card including its status word, in bytes: 255 without D4 and code.
  public static let maximumResponseCount = ACR122Frame.maximumCommandCount - 1

  /// The reader's full PC/SC name.
  public let reader: String
  private let worker: DeviceWorker<ACR122Session>
  /// The result of the command that was submitted last.
  private let lastResult = Mutex<PendingResult<[UInt8]>?>(nil)

  /// Connects to a reader and checks that it has a PN532. Blocks.
  ///
  /// - Parameters:
  ///   - reader: The full name; see `PCSCService.reader(matching:)`.
  ///   - patience: How long to wait while another program uses the reader.
  /// - Throws: `LinkError`: `.busy` when another program still uses it then; `.readerUnavailable`, also when the driver
  ///   refuses escape commands; `.serviceUnavailable`.
  public init(reader: String, patience: Duration = .seconds(5)) throws(LinkError) {
    (worker, _) = try DeviceWorker.start(reader: reader, thread: "acr122", patience: patience)
    self.reader = reader
  }

  /// Like `close()`, with a patience of 1 s.
  deinit { worker.close(patience: .seconds(1)) }

  /// Ends either role, switches the field off and restores the reader's settings. May be called any number of times,
  /// from any thread. Blocks.
  ///
  /// A driver's call that waits for a terminal ends first, within 5 s with an ACR122U and 3 s under libccid.
  ///
  /// - Parameter patience: How long to wait for such a call. The settings of a reader that needs longer are restored
  ///   when the call ends, if the program still runs.
  public func close(patience: Duration = .seconds(7)) {
    worker.close(patience: patience)
  }

  /// Lets the chip perform a command. Blocks.
  ///
  /// - Parameters:
  ///   - command: Its code and its parameters.
  ///   - limit: How long to wait; nil waits as long as the reader and its driver do.
  /// - Throws: `LinkError`: `.timedOut` when the limit of this call, of the reader or of its driver has passed.
  func run(_ command: [UInt8], within limit: Duration? = ACR122Device.commandLimit) throws(LinkError) -> [UInt8] {
    let result = worker.submit(command)
    lastResult.withLock { $0 = result }
    return try result.value(
      within: limit,
      orFailWith: LinkError(
        .timedOut, "reader \"\(reader)\": no response in time. Unplug the reader and plug it in again"))
  }

  /// InRelease, field off, and SetParameters as after power-up.
  static let restCommands: [[UInt8]] = [[0x52, 0x00], [0x32, 0x01, 0x00], [0x12, 0x14]]

  /// How long a command may take that does not wait for a card or a terminal: longer than the reader waits for its
  /// chip.
  static let commandLimit = Duration.seconds(8)
}

// MARK: Either role

extension ACR122Device: ChipHost {
  /// The reader's full PC/SC name.
  public var name: String { reader }

  /// Configures the chip for a role.
  public func prepare(for role: ChipRole) throws(LinkError) {
    let commands =
      switch role {
      case .terminal: PN532InitiatorCommands.preparation
      case .card: PN532TargetCommands.preparation
      }
    for command in commands { _ = try run(command) }
  }

  /// Ends the wait for the chip in another thread; the chip itself cannot be interrupted.
  public func interrupt() {
    lastResult.withLock { $0 }?.complete(.failure(LinkError(.stopped, "the card was taken off the reader")))
  }

  /// Ends either role and switches the field off as soon as the reader's present call ends. Does not wait for that.
  public func release() {
    for command in Self.restCommands { worker.submit(command) }
  }
}

// MARK: Terminal

extension ACR122Device {
  /// Searches once for a card.
  public func findCard() throws(LinkError) -> FoundCard? {
    // Type B comes first: most cards are of type A, and the second search leaves these selected.
    let isTypeB = PN532InitiatorCommands.hasCard(try run(PN532InitiatorCommands.listTypeB))
    if isTypeB { _ = try run(PN532InitiatorCommands.deselection) }
    let answer = try run(PN532InitiatorCommands.list)
    guard !PN532InitiatorCommands.hasSeveralCards(answer), !(isTypeB && PN532InitiatorCommands.hasCard(answer)) else {
      throw LinkError(.severalCards, "reader \"\(reader)\": two cards are in the field. Present one card only")
    }
    guard isTypeB else { return PN532InitiatorCommands.card(in: answer) }
    // The deselected card does not answer a search before it had no field.
    for command in PN532InitiatorCommands.fieldReset { _ = try run(command) }
    return PN532InitiatorCommands.cardOfTypeB(in: try run(PN532InitiatorCommands.listTypeB))
  }

  /// Sends a command to the card and receives its response.
  public func exchange(_ command: [UInt8], within limit: Duration) throws(LinkError) -> [UInt8] {
    let end = SystemClock().now + limit
    var answer = try exchanged(command, until: end)
    var octets = answer.dropFirst()
    while let status = answer.first, PN532InitiatorCommands.hasMore(status) {
      guard answer.count > 1, octets.count < ResponseAPDU.maximumCount else {
        throw LinkError(
          .protocolViolation,
          "reader \"\(reader)\": the card's response has more than \(ResponseAPDU.maximumCount) bytes")
      }
      answer = try exchanged([], until: end)
      octets += answer.dropFirst()
    }
    return Array(octets)
  }

  /// One response of the chip that reports success, with its status byte.
  private func exchanged(_ octets: [UInt8], until end: Instant) throws(LinkError) -> [UInt8] {
    let answer = try run(PN532InitiatorCommands.exchange + octets, within: max(end - SystemClock().now, .zero))
    guard let status = answer.first else {
      throw LinkError(.protocolViolation, "reader \"\(reader)\": its chip's response has no status")
    }
    if let code = PN532InitiatorCommands.failure(status) {
      throw LinkError(
        code,
        "the card did not respond, or its response broke the protocol (PN532 status \([status & 0x3F].hex))")
    }
    return answer
  }
}

// MARK: Card

extension ACR122Device {
  /// Presents a card until a terminal has selected it, for as long as the reader waits.
  public func awaitTerminal(identifier: [UInt8], historicalBytes: [UInt8]) throws(LinkError) -> Bool {
    let command = PN532TargetCommands.presentation(identifier: identifier, historicalBytes: historicalBytes)
    return PN532TargetCommands.isSelected(try run(command, within: nil))
  }

  /// Answers the terminal, and waits for its next command without a time limit.
  public func nextEvent(after response: [UInt8]?) throws(LinkError) -> TerminalEvent {
    if let response {
      let data = try run([PN532TargetCommands.setData] + response)
      if data.first != PN532TargetCommands.success { return .left(try departure(data)) }
    }
    let data = try command()
    // A status byte with bit 7 set reports a command that is longer than the chip's buffer: not a short command.
    return data.first == PN532TargetCommands.success ? .command(Array(data.dropFirst())) : .left(try departure(data))
  }

  private func command() throws(LinkError) -> [UInt8] {
    while true {
      do throws(LinkError) {
        return try run([PN532TargetCommands.getData], within: nil)
      } catch  where error.code == .timedOut {
        // The reader's own limit has passed; the terminal is still there and may take longer.
        continue
      }
    }
  }

  /// Asks a chip that reports its release for the cause.
  private func departure(_ data: [UInt8]) throws(LinkError) -> FieldEvent {
    guard data.first == PN532TargetCommands.released else { return .lost }
    return try run([PN532TargetCommands.getStatus]).first == PN532TargetCommands.deselected ? .deselected : .lost
  }
}
