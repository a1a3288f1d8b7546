internal import ISO7816
internal import Octets

/// A card in the field of an NFC chip. Releasing the channel releases the card and switches the field off.
public struct ChipChannel<Host: ChipHost>: ~Copyable, CardChannel {
  /// The card's identity, with the ATR that a PC/SC reader would construct from the historical bytes.
  public let identity: CardIdentity
  /// The card's UID, 4, 7 or 10 bytes; random for a phone.
  public let cardIdentifier: [UInt8]

  private let host: Host
  private let responseTimeout: Duration
  private var failure: LinkError?

  /// Waits for a card of ISO/IEC 14443 type A with ISO-DEP. Blocks.
  ///
  /// - Parameters:
  ///   - host: The device. Nothing else may use it.
  ///   - timeout: How long to wait for the card.
  ///   - responseTimeout: How long the card may take for one response, 1 ms to 1 h.
  /// - Throws: `LinkError`: `.timedOut` without a card, `.readerUnavailable`, `.serviceUnavailable`.
  public init(_ host: Host, timeout: Duration, responseTimeout: Duration = .seconds(10)) throws(LinkError) {
    let found: FoundCard
    do throws(LinkError) {
      found = try Self.card(at: host, within: timeout)
    } catch {
      // The search has switched the field on.
      host.release()
      throw error
    }
    self.host = host
    self.responseTimeout = min(max(responseTimeout, .milliseconds(1)), .seconds(3600))
    cardIdentifier = found.identifier
    identity = CardIdentity(
      answerToReset: AnswerToReset.contactless(historicalBytes: found.historicalBytes), protocolName: "T=CL")
  }

  private static func card(at host: Host, within timeout: Duration) throws(LinkError) -> FoundCard {
    let end = SystemClock().now + timeout
    try host.prepare(for: .terminal)
    while true {
      if let found = try host.findCard() { return found }
      guard SystemClock().now < end else {
        throw LinkError(.timedOut, "no card came to \(host.name) within \(timeout.text)")
      }
      // A search takes a few milliseconds. A person does not notice the pause between two searches.
      pause(for: .milliseconds(20))
    }
  }

  deinit {
    if failure == nil { host.release() }
  }

  /// Sends a command to the card.
  ///
  /// - Parameters:
  ///   - command: 1 to `Host.maximumCommandCount` bytes.
  ///   - response: Room for the response.
  /// - Returns: The length of the response, at least 2.
  /// - Throws: `LinkError`: `.cardRemoved`, `.timedOut`, `.transmissionFailed` for a command that is too long; the
  ///   channel is closed after any of them, because a late response would be taken for that of the next command.
  public mutating func transmit(
    _ command: Span<UInt8>, into response: inout MutableRawSpan
  ) throws(LinkError) -> Int {
    if let failure { throw failure }
    do throws(LinkError) {
      let octets = try answer(to: command.array)
      guard octets.count <= response.byteCount else {
        throw LinkError(
          .transmissionFailed, "a response of \(octets.count.bytes): the room for it is \(response.byteCount)")
      }
      response.copy(octets.span, to: 0)
      return octets.count
    } catch {
      close(because: error)
      throw error
    }
  }

  private func answer(to command: [UInt8]) throws(LinkError) -> [UInt8] {
    let limit = Host.maximumCommandCount
    guard (1...limit).contains(command.count) else {
      throw LinkError(.transmissionFailed, "a command of \(command.count.bytes): \(host.name) takes 1 to \(limit)")
    }
    let octets = try host.exchange(command, within: responseTimeout)
    guard octets.count >= 2 else { throw .shortResponse(of: octets.count) }
    return octets
  }

  /// Releases the card and switches the field off.
  public mutating func close() {
    close(because: LinkError(.cardRemoved, "the channel to the card is closed; open a new one"))
  }

  private mutating func close(because reason: LinkError) {
    guard failure == nil else { return }
    failure = reason
    host.release()
  }
}
