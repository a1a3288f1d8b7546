public import ISO7816
public import Links
public import Octets

/// Is a card in a virtual reader of a real pcscd: connects to the vpcd driver of vsmartcard over TCP.
///
/// pcscd sees the card within 400 ms. It powers the card as soon as it sees it and takes the power away after some
/// seconds without a program that uses it, so `FieldEvent.powered` does not mean that a terminal is there.
public final class VPCDLink: EmulationLink {
  /// The port of the first slot in the configuration that the driver's package installs.
  public static let standardPort: UInt16 = 35963

  private let host: String
  private let port: UInt16
  private let answerToReset: [UInt8]
  private let firstRequestTimeout: Duration
  private let clock: any MonotonicClock
  private let wake: WakeSignal

  /// Creates a link that connects when it is served.
  ///
  /// - Parameters:
  ///   - host: A name or an address.
  ///   - port: The slot's TCP port: `CHANNELID` in reader.conf for the first slot, one more for the second.
  ///   - answerToReset: 2 to 33 octets; others trap.
  ///   - firstRequestTimeout: How long vpcd may be silent at first. It asks for the answer to reset every 400 ms; one whose
  ///     slot holds another card accepts the connection and never says a word.
  ///   - clock: Where the instants of commands and field events come from.
  /// - Throws: `LinkError.Code.transmissionFailed` when the process has no file descriptors left.
  public init(
    host: String = "127.0.0.1", port: UInt16 = VPCDLink.standardPort,
    answerToReset: [UInt8] = AnswerToReset.contactless(), firstRequestTimeout: Duration = .seconds(5),
    clock: any MonotonicClock = SystemClock()
  ) throws(LinkError) {
    precondition(
      (2...AnswerToReset.maximumCount).contains(answerToReset.count), "an answer to reset has 2 to 33 octets")
    self.host = host
    self.port = port
    self.answerToReset = answerToReset
    self.firstRequestTimeout = firstRequestTimeout
    self.clock = clock
    wake = try WakeSignal()
  }

  /// Connects, presents the card and answers until `stop()`.
  ///
  /// - Throws: `LinkError`: `.readerUnavailable` when nothing listens, `.busy` when the slot holds another card,
  ///   `.terminalLost` when pcscd goes away.
  public func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    guard let connection = try connected() else { return }
    var conversation = VPCDCardSession(answerToReset: answerToReset)
    defer { conversation.end(&responder, at: clock.now) }
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
      while frames.next({ conversation.receive($0, at: arrived, for: &responder) }) {
        // A card that was taken away while it computed does not answer any more.
        if wake.isRaised { return }
        switch conversation.withAnswer({ connection.send($0) }) {
        case .octets, .silent: continue
        case .stopped: return
        case .closed: throw lost
        }
      }
    }
  }

  /// Takes the card out of the reader. A command that the card is working on is not answered.
  public func stop() {
    wake.raise()
  }

  private func connected() throws(LinkError) -> TCPConnection? {
    if wake.isRaised { return nil }
    guard let addresses = try SocketAddress.all(of: host, port: port, wake: wake) else { return nil }
    var last = SystemError(number: 0)
    for address in addresses {
      do throws(SystemError) {
        return try TCPConnection.open(address, wake: wake)
      } catch {
        last = error
      }
    }
    throw LinkError(
      .readerUnavailable,
      """
      no virtual reader at \(host) port \(port) (\(systemErrorText(last.number))): start pcscd with the vpcd driver \
      (apt-get install pcscd vsmartcard-vpcd) and see its reader.conf.d entry for the port
      """)
  }

  private var lost: LinkError {
    LinkError(.terminalLost, "the virtual reader at \(host) port \(port) closed the connection: pcscd has ended")
  }

  private var occupied: LinkError {
    LinkError(
      .busy,
      """
      the virtual reader at \(host) port \(port) accepts a connection but asks for nothing: another card is in this \
      slot; use the other slot's port, or take that card out
      """)
  }
}
