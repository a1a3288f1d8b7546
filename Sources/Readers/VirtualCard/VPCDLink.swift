public import ISO7816
public import Links
public import Octets
internal import POSIX
internal import Synchronization

/// A card in a virtual reader of a real pcscd: a TCP connection to the vpcd driver of vsmartcard.
///
/// pcscd sees the card within 400 ms. It powers the card as soon as it sees it, and powers it off after some seconds in
/// which no program uses it, so `FieldEvent.powered` does not mean that a terminal is present.
///
/// Commands of class FF are for the reader, and the link answers them as a contactless reader does (PC/SC part 3,
/// 3.2.2.1): `FF CA 00 00 00` returns the identifier, `FF CA 01 00 00` the answer to select. The card does not see them.
public final class VPCDLink: PartialResponseLink {
  /// The port of the first slot in the configuration that the driver's package installs.
  public static let standardPort: UInt16 = 35963

  private let host: String
  private let port: UInt16
  private let answerToReset: [UInt8]
  private let identifier: [UInt8]
  private let firstRequestTimeout: Duration
  private let clock: any MonotonicClock
  private let connected: @Sendable () -> Void
  private let signal: WakeSignal
  private let isCut = Atomic<Bool>(false)

  /// Creates a link that connects when it is served.
  ///
  /// - Parameters:
  ///   - host: A name or an address.
  ///   - port: The TCP port of the slot: `CHANNELID` in reader.conf for the first slot, one more for the second.
  ///   - answerToReset: 2 to 33 bytes; other sizes trap.
  ///   - identifier: The card's identifier (UID), 4, 7 or 10 bytes; other sizes trap. Nil for a random one, as phones
  ///     have: 08 and 3 random bytes (ISO/IEC 14443-3:2018, 6.5.4).
  ///   - firstRequestTimeout: How long the link waits for the first request. vpcd asks for the answer to reset every
  ///     400 ms. If the slot holds another card, it accepts the connection and never asks.
  ///   - clock: The source of the instants of commands and field events.
  ///   - connected: Called on the thread of `serve`, once the driver has accepted the connection.
  /// - Throws: `LinkError.Code.transmissionFailed` when the process has no file descriptors left.
  public init(
    host: String = "127.0.0.1", port: UInt16 = VPCDLink.standardPort,
    answerToReset: [UInt8] = AnswerToReset.contactless(), identifier: [UInt8]? = nil,
    firstRequestTimeout: Duration = .seconds(5), clock: any MonotonicClock = SystemClock(),
    connected: @escaping @Sendable () -> Void = {}
  ) throws(LinkError) {
    precondition(
      (2...AnswerToReset.maximumCount).contains(answerToReset.count),
      "an answer to reset has 2 to \(AnswerToReset.maximumCount) bytes, not \(answerToReset.count)")
    let identifier = identifier ?? [0x08] + SystemRandomSource().octets(3)
    precondition(
      ReaderCommands.identifierCounts.contains(identifier.count),
      "an identifier has 4, 7 or 10 bytes, not \(identifier.count)")
    self.host = host
    self.port = port
    self.answerToReset = answerToReset
    self.identifier = identifier
    self.firstRequestTimeout = firstRequestTimeout
    self.clock = clock
    self.connected = connected
    signal = try WakeSignal.ofLink()
  }

  /// Connects, presents the card and answers until `stop()`. Blocks the thread.
  ///
  /// - Throws: `LinkError`: `.readerUnavailable` when no driver listens at the port, `.busy` when the slot holds
  ///   another card, `.terminalLost` when pcscd ends, `.protocolViolation` when a frame is empty or holds one byte that
  ///   is not a control byte.
  public func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    guard let connection = try connection() else { return }
    connected()
    var session = VPCDCardSession(answerToReset: answerToReset, identifier: identifier)
    defer { session.end(&responder, at: clock.now) }
    var frames = VPCDFrames()
    var timeout = Optional(firstRequestTimeout)
    while true {
      switch connection.receive(into: &frames, timeout: timeout) {
      case .octets: timeout = nil
      case .stopped: return
      case .closed: throw lost
      case .silent: throw occupied
      }
      let arrived = clock.now
      while try next(&frames, into: &session, at: arrived, for: &responder) {
        if isCut.load(ordering: .acquiring) {
          _ = session.withPartOfAnswer { connection.send($0) }
          return
        }
        // A card that was removed while it computed must not answer.
        if signal.isRaised { return }
        switch session.withAnswer({ connection.send($0) }) {
        case .octets, .silent: responder.responseSent()
        case .stopped: return
        case .closed: throw lost
        }
      }
    }
  }

  private func next<Responder: CommandResponder & ~Copyable>(
    _ frames: inout VPCDFrames, into session: inout VPCDCardSession, at instant: Instant,
    for responder: inout Responder
  ) throws(LinkError) -> Bool {
    do throws(VPCDFrameError) {
      return try frames.next { (payload) throws(VPCDFrameError) in
        try session.receive(payload, at: instant, for: &responder)
      }
    } catch {
      throw violation(error)
    }
  }

  /// Takes the card out of the reader. A command that the card is processing is not answered.
  public func stop() {
    signal.raise()
  }

  /// Ends the connection within the frame of the next response.
  public func cutNextResponse() { isCut.store(true, ordering: .releasing) }

  private func connection() throws(LinkError) -> TCPConnection? {
    if signal.isRaised { return nil }
    guard let addresses = try SocketAddress.all(of: host, port: port, signal: signal) else { return nil }
    var last = SystemError(0)
    for address in addresses {
      do throws(SystemError) {
        return try TCPConnection.open(address, signal: signal)
      } catch {
        last = error
      }
    }
    throw LinkError(
      .readerUnavailable,
      """
      no virtual reader at \(host) port \(port) (\(last)): start one with tap lab pcsc --port \(port), \
      or pcscd with the vpcd driver (apt-get install pcscd vsmartcard-vpcd) and the port of its reader.conf.d entry
      """)
  }

  private var lost: LinkError {
    LinkError(.terminalLost, "the virtual reader at \(host) port \(port) closed the connection: pcscd has ended")
  }

  private var occupied: LinkError {
    LinkError(
      .busy,
      """
      the virtual reader at \(host) port \(port) accepts the connection but sends no request: another card is in this \
      slot. Use the port of the other slot, or remove that card
      """)
  }

  private func violation(_ error: VPCDFrameError) -> LinkError {
    let found =
      switch error {
      case .empty: "a frame of 0 bytes"
      case .unknownControl(let octet): "a frame of 1 byte, 0x\(octet.hex), which is not a control byte (00, 01, 02, 04)"
      }
    return LinkError(
      .protocolViolation,
      """
      the virtual reader at \(host) port \(port) sent \(found): a program transmitted a command of less than 2 bytes, \
      or this is not a vpcd
      """)
  }
}
