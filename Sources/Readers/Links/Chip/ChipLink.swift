internal import Foundation
public import ISO7816
public import Octets
internal import Synchronization

/// A card that an NFC chip presents to a terminal. The chip must support the target role, as the PN532 does.
///
/// The chip implements ISO-DEP. Of the ATS the caller sets only the historical bytes, and the UID has four bytes that
/// begin with 08: a random UID as phones have it (ISO/IEC 14443-3:2018, 6.5.4).
public final class ChipLink<Host: ChipHost>: EmulationLink {
  private let host: Host
  private let identifier: [UInt8]
  private let historicalBytes: [UInt8]
  private let clock: any MonotonicClock
  private let stopped = Atomic(false)
  private let isServing = Mutex(false)

  /// Creates a link. `serve` presents the card.
  ///
  /// - Parameters:
  ///   - host: The device. Nothing else may use it.
  ///   - historicalBytes: For the ATS: at most 15. More are a programming error and trap.
  ///   - clock: Gives the instants of commands and field events.
  ///   - random: Gives the last three bytes of the UID.
  public init(
    _ host: Host, historicalBytes: [UInt8] = [], clock: any MonotonicClock = SystemClock(),
    random: any RandomSource = SystemRandomSource()
  ) {
    precondition(historicalBytes.count <= 15, "the ATS of a PN532 has room for at most 15 historical bytes")
    self.host = host
    self.historicalBytes = historicalBytes
    self.clock = clock
    identifier = [0x08] + random.octets(3)
  }

  /// Presents the card and answers terminals until `stop()`.
  ///
  /// A fault of a terminal, such as a command that is longer than the chip's buffer, ends its tap and not the link.
  ///
  /// - Throws: `LinkError`: `.readerUnavailable` when the device is unplugged, `.serviceUnavailable` when its driver
  ///   ends, `.protocolViolation` when the chip refuses, `.transmissionFailed` when the card answers with more than
  ///   `Host.maximumResponseCount` bytes.
  public func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    // Otherwise the chip would remain a card for as long as it has power.
    defer { host.release() }
    isServing.withLock { $0 = true }
    defer { isServing.withLock { $0 = false } }
    do throws(LinkError) {
      if !isStopped { try host.prepare(for: .card) }
      while !isStopped {
        if try awaitTerminal() { try receiveTerminal(&responder) }
      }
    } catch {
      guard isStopped else { throw error }
    }
  }

  /// Errors after which the chip still works. A late `interrupt()` of an earlier link can cause `.stopped`.
  private static var recoverable: [LinkError.Code] { [.stopped, .cardRemoved, .timedOut] }

  private func awaitTerminal() throws(LinkError) -> Bool {
    do throws(LinkError) {
      return try host.awaitTerminal(identifier: identifier, historicalBytes: historicalBytes)
    } catch  where Self.recoverable.contains(error.code) {
      return false
    }
  }

  private func receiveTerminal<Responder: CommandResponder & ~Copyable>(
    _ responder: inout Responder
  ) throws(LinkError) {
    responder.fieldChanged(.powered, at: clock.now)
    var ending = FieldEvent.lost
    defer { responder.fieldChanged(ending, at: clock.now) }
    var room = [UInt8](repeating: 0, count: shortResponseCapacity)
    var response: [UInt8]?
    while true {
      let event = try nextEvent(after: response)
      if case .left(let fieldEvent) = event { ending = fieldEvent }
      guard case .command(let command) = event else { return }
      let arrived = clock.now
      let count = room.withMutableOctets { responder.respond(to: command.span, at: arrived, into: &$0) }
      requireResponse(of: count, within: room.count)
      try checkResponse(of: count)
      // A card that was stopped while it computed its response does not send it.
      if isStopped { return }
      response = Array(room[..<count])
      // Before the chip has it: the host sends it and waits for the next command in one call.
      responder.responseSent()
    }
  }

  private func nextEvent(after response: [UInt8]?) throws(LinkError) -> TerminalEvent {
    do throws(LinkError) {
      return try host.nextEvent(after: response)
    } catch  where Self.recoverable.contains(error.code) || error.code == .transmissionFailed {
      return .left(.lost)
    }
  }

  private func checkResponse(of count: Int) throws(LinkError) {
    let limit = Host.maximumResponseCount
    guard count > limit else { return }
    throw LinkError(
      .transmissionFailed,
      """
      a response of \(count.bytes): the limit of \(host.name) is \(limit). Present this card through another kind of \
      reader
      """)
  }

  // MARK: Stopping

  private var isStopped: Bool { stopped.load(ordering: .acquiring) }

  /// Takes the card out of the field: `serve` ends at once, and the card receives no further commands.
  public func stop() {
    guard !stopped.exchange(true, ordering: .acquiringAndReleasing), interrupts() else { return }
    // An interruption between two calls of the device has no effect, so it is repeated until `serve` has ended.
    Thread.detachNewThread { [self] in
      while interrupts() { pause(for: .milliseconds(20)) }
    }
  }

  /// Interrupts the device, under the lock so that no interruption reaches a later link on the same device.
  ///
  /// - Returns: Whether `serve` still runs.
  private func interrupts() -> Bool {
    isServing.withLock { isServing in
      if isServing { host.interrupt() }
      return isServing
    }
  }
}
