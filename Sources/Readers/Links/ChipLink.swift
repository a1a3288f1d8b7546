internal import Foundation
public import ISO7816
public import Octets
internal import Synchronization

/// Is a card for a terminal, through an NFC chip that can be a target: PN532 and its relatives.
///
/// The chip does ISO-DEP with its own answers; an ATS of ours is limited to the historical bytes, and the UID to four
/// octets that begin with 08, which is what a phone has.
public final class ChipLink<Host: ChipHost>: EmulationLink {
  private let host: Host
  private let identifier: [UInt8]
  private let historicalBytes: [UInt8]
  private let clock: any MonotonicClock
  private let stopped = Atomic(false)
  private let isServing = Mutex(false)

  /// Creates a link that presents the card when it is served.
  ///
  /// - Parameters:
  ///   - host: The device, in no other use.
  ///   - historicalBytes: For the ATS: at most 15, more trap.
  ///   - clock: What the responder's instants are read from.
  ///   - random: Where the last three octets of the UID come from.
  public init(
    _ host: Host, historicalBytes: [UInt8] = [], clock: any MonotonicClock = SystemClock(),
    random: any RandomSource = SystemRandomSource()
  ) {
    precondition(historicalBytes.count <= 15, "an ATS of a PN532 holds at most 15 historical bytes")
    self.host = host
    self.historicalBytes = historicalBytes
    self.clock = clock
    identifier = [0x08] + random.octets(3)
  }

  /// Presents the card and answers terminals until `stop()`.
  ///
  /// A terminal's faults, such as a command that the chip cannot hold, end its visit, not the link.
  ///
  /// - Throws: `LinkError`: `.readerUnavailable` when the device goes away, `.serviceUnavailable` when what drives it
  ///   does, `.protocolViolation` when the chip refuses, `.transmissionFailed` when the card answers with more than
  ///   `Host.maximumResponseCount` octets.
  public func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    // The chip would be a card on its own as long as it has power.
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

  /// What may end a wait and says nothing of the chip: `.stopped` comes from a link before this one.
  private static var passing: [LinkError.Code] { [.stopped, .cardRemoved, .timedOut] }

  private func awaitTerminal() throws(LinkError) -> Bool {
    do throws(LinkError) {
      return try host.awaitTerminal(identifier: identifier, historicalBytes: historicalBytes)
    } catch  where Self.passing.contains(error.code) {
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
      let act = try nextAct(after: response)
      if case .leaves(let event) = act { ending = event }
      guard case .command(let command) = act else { return }
      let arrived = clock.now
      let count = room.withMutableOctets { responder.respond(to: command.span, at: arrived, into: &$0) }
      requireResponse(of: count, within: room.count)
      try checkResponse(of: count)
      // A card that was taken away while it computed does not answer any more.
      if isStopped { return }
      response = Array(room[..<count])
    }
  }

  private func nextAct(after response: [UInt8]?) throws(LinkError) -> TerminalAct {
    do throws(LinkError) {
      return try host.nextAct(after: response)
    } catch  where Self.passing.contains(error.code) || error.code == .transmissionFailed {
      return .leaves(.lost)
    }
  }

  private func checkResponse(of count: Int) throws(LinkError) {
    let limit = Host.maximumResponseCount
    guard count > limit else { return }
    throw LinkError(
      .transmissionFailed,
      """
      a response of \(count) octets: the limit of \(host.name) is \(limit); present this card through another kind of \
      reader
      """)
  }

  // MARK: Stopping

  private var isStopped: Bool { stopped.load(ordering: .acquiring) }

  /// Takes the card out of the field: `serve` ends at once, and what a terminal sends reaches the card no more.
  public func stop() {
    guard !stopped.exchange(true, ordering: .acquiringAndReleasing), interrupts() else { return }
    // One that meets the moment between two calls is lost, so it is repeated until the card has left.
    Thread.detachNewThread { [self] in
      while interrupts() { pause(for: .milliseconds(20)) }
    }
  }

  /// Under the lock, so that no interruption meets the next link.
  ///
  /// - Returns: Whether there is something to interrupt.
  private func interrupts() -> Bool {
    isServing.withLock { isServing in
      if isServing { host.interrupt() }
      return isServing
    }
  }
}
