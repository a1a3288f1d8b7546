internal import Octets

/// The terminal's side of a loopback. Closing or releasing the channel switches the field off.
public struct LoopbackChannel: ~Copyable, CardChannel {
  /// The card's identity, as the loopback was given it.
  public let identity: CardIdentity

  private let loopback: Loopback
  private var exchange: LoopbackExchange?
  private var failure: LinkError?

  init(of loopback: Loopback, visit: UInt64, identity: CardIdentity) {
    self.loopback = loopback
    self.identity = identity
    exchange = LoopbackExchange(visit: visit)
  }

  deinit {
    if failure == nil { loopback.disconnect() }
  }

  /// Sends a command to the card's thread and waits for the response.
  ///
  /// - Parameters:
  ///   - command: At most 65544 bytes, the length of the longest extended command.
  ///   - response: Room for the response.
  /// - Returns: The length of the response, at least 2.
  /// - Throws: `LinkError`: `.cardRemoved` when the card's side stops, `.timedOut` when the card does not answer,
  ///   `.transmissionFailed` when the command or the response is too long; the channel is closed after any of them.
  public mutating func transmit(
    _ command: Span<UInt8>, into response: inout MutableRawSpan
  ) throws(LinkError) -> Int {
    if let failure { throw failure }
    do throws(LinkError) {
      return try transmitted(command, into: &response)
    } catch {
      close(because: error)
      throw error
    }
  }

  private mutating func transmitted(
    _ command: Span<UInt8>, into response: inout MutableRawSpan
  ) throws(LinkError) -> Int {
    let limit = LoopbackExchange.maximumCommandCount
    guard command.count <= limit else {
      throw LinkError(.transmissionFailed, "a command of \(command.count.bytes): the limit is \(limit)")
    }
    guard var posted = exchange.take() else { throw LinkError.channelClosed }
    posted.command.withMutableOctets { $0.copy(command, to: 0) }
    posted.commandCount = command.count
    let answered = try loopback.exchange(posted)
    let count = answered.responseCount
    let room = response.byteCount
    guard count <= room else {
      throw LinkError(.transmissionFailed, "a response of \(count.bytes): the room for it is \(room)")
    }
    answered.copyResponse(into: &response)
    exchange = consume answered
    return count
  }

  /// Resets the card, which stays powered.
  public mutating func reset() {
    if failure == nil { loopback.reset() }
  }

  /// Switches the field off.
  public mutating func close() {
    close(because: .channelClosed)
  }

  private mutating func close(because reason: LinkError) {
    guard failure == nil else { return }
    failure = reason
    exchange = nil
    loopback.disconnect()
  }
}
