public import ISO7816
public import Links
public import Octets
internal import Synchronization

/// Is a card for a terminal, through the PN532 of an ACR122 reader.
///
/// The chip does ISO-DEP with its own answers; an ATS of ours is limited to the historical bytes, and the UID to four
/// octets that begin with 08, which is what a phone has.
///
/// Readers and drivers do not wait for a terminal for ever: an ACR122U gives up after 5 s, libccid after 3 s. The card
/// is then presented again at once; a terminal that comes in between has to try again.
public final class ACR122Link: EmulationLink {
  private struct State {
    var isStopped = false
    /// What the card waits for.
    var request: ACR122Request?
  }

  private let device: ACR122Device
  private let identifier: [UInt8]
  private let historicalBytes: [UInt8]
  private let clock: any MonotonicClock
  private let state = Mutex(State())

  /// Creates a link that presents the card when it is served.
  ///
  /// - Parameters:
  ///   - device: The reader, in no other use.
  ///   - historicalBytes: For the ATS: at most 15, more trap.
  ///   - clock: What the responder's instants are read from.
  ///   - random: Where the last three octets of the UID come from.
  public init(
    _ device: ACR122Device, historicalBytes: [UInt8] = [], clock: any MonotonicClock = SystemClock(),
    random: any RandomSource = SystemRandomSource()
  ) {
    precondition(historicalBytes.count <= 15, "an ATS of a PN532 holds at most 15 historical bytes")
    self.device = device
    self.historicalBytes = historicalBytes
    self.clock = clock
    identifier = [0x08] + random.octets(3)
  }

  /// Presents the card and answers terminals until `stop()`.
  ///
  /// A terminal's faults, such as a command that the chip cannot hold, end its visit, not the link.
  ///
  /// - Throws: `LinkError`: `.readerUnavailable` when the reader goes away, `.serviceUnavailable` when pcscd does,
  ///   `.protocolViolation` and `.timedOut` when its chip refuses or is silent,
  ///   `.transmissionFailed` when the card answers with more than `ACR122Device.maximumResponseCount` octets.
  public func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    guard !isStopped else { return }
    // The chip would be a card on its own as long as the reader has power.
    defer { device.release() }
    do throws(LinkError) {
      for command in PN532Target.preparation { _ = try answer(to: command, timeout: ACR122Device.patience) }
      while true {
        if try awaitTerminal() { try receiveTerminal(&responder) }
      }
    } catch {
      guard error.code == .stopped else { throw error }
    }
  }

  /// - Returns: Whether a terminal has selected the card; otherwise nobody waits any more and has to begin again.
  private func awaitTerminal() throws(LinkError) -> Bool {
    let command = PN532Target.presentation(identifier: identifier, historicalBytes: historicalBytes)
    do throws(LinkError) {
      return PN532Target.isSelected(try answer(to: command, timeout: nil))
    } catch  where error.code == .timedOut {
      return false
    }
  }

  private func receiveTerminal<Responder: CommandResponder & ~Copyable>(
    _ responder: inout Responder
  ) throws(LinkError) {
    var room = [UInt8](repeating: 0, count: shortResponseCapacity)
    responder.fieldChanged(.powered, at: clock.now)
    var ending = FieldEvent.lost
    defer { responder.fieldChanged(ending, at: clock.now) }
    while true {
      guard let command = try nextCommand(&ending) else { return }
      let arrived = clock.now
      let count = room.withMutableOctets { responder.respond(to: command.span, at: arrived, into: &$0) }
      requireResponse(of: count, within: room.count)
      guard count <= ACR122Device.maximumResponseCount else {
        throw LinkError(
          .transmissionFailed,
          """
          a response of \(count) octets: the limit of reader "\(device.reader)" is \
          \(ACR122Device.maximumResponseCount); present this card through another kind of reader
          """)
      }
      guard try delivers(room[..<count], &ending) else { return }
    }
  }

  /// - Returns: nil when the terminal has left.
  private func nextCommand(_ ending: inout FieldEvent) throws(LinkError) -> [UInt8]? {
    while true {
      do throws(LinkError) {
        let data = try answer(to: [PN532Target.getData], timeout: nil)
        // More than the chip holds at once is no short command.
        if data.first == PN532Target.success { return Array(data.dropFirst()) }
        try note(data, &ending)
        return nil
      } catch  where error.code == .timedOut {
        // The terminal takes its time.
        continue
      }
    }
  }

  /// - Returns: Whether the terminal has got the response.
  private func delivers(_ response: ArraySlice<UInt8>, _ ending: inout FieldEvent) throws(LinkError) -> Bool {
    do throws(LinkError) {
      let data = try answer(to: [PN532Target.setData] + response, timeout: ACR122Device.patience)
      if data.first == PN532Target.success { return true }
      try note(data, &ending)
      return false
    } catch  where error.code == .timedOut {
      return false
    }
  }

  /// The chip says that it was released, and when asked, by whom.
  private func note(_ data: [UInt8], _ ending: inout FieldEvent) throws(LinkError) {
    guard data.first == PN532Target.released else { return }
    let status = try answer(to: [PN532Target.getStatus], timeout: ACR122Device.patience)
    if status.first == PN532Target.deselected { ending = .deselected }
  }

  // MARK: Stopping

  private var isStopped: Bool { state.withLock(\.isStopped) }

  /// Asks the chip; `.stopped` as soon as somebody stops the link.
  private func answer(to command: [UInt8], timeout: Duration?) throws(LinkError) -> [UInt8] {
    let request = ACR122Request(command)
    let isStopped = state.withLock { state in
      state.request = request
      return state.isStopped
    }
    if isStopped { throw Self.stopped }
    return try device.run(request, timeout: timeout)
  }

  private static let stopped = LinkError(.stopped, "the card was taken off the reader")

  /// Takes the card out of the field: `serve` ends at once, and what a terminal sends reaches the card no more.
  ///
  /// Nothing interrupts the call with which the chip waits for a terminal. It ends by itself, within 5 s with an ACR122U
  /// and 3 s under libccid, or when a terminal comes; until then the chip can still be selected, but answers nothing,
  /// and the device takes no other role.
  public func stop() {
    let request = state.withLock { state in
      state.isStopped = true
      return state.request
    }
    request?.settle(.failure(Self.stopped))
  }
}
