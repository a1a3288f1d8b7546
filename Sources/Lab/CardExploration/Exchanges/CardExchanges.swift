public import ISO7816
public import Links
internal import Octets
public import Transcripts

/// The exchanges with one card: each command is sent and recorded, and an unfinished response is followed up.
public struct CardExchanges: Sendable {
  /// Why a command was sent.
  public enum Cause: Equatable, Sendable {
    /// It was asked for.
    case asked
    /// GET RESPONSE after 61xx.
    case announced(StatusWord)
    /// The same command with another Le, after 6Cxx.
    case wrongLength(StatusWord)
  }

  /// The exchanges so far, as they were on the wire.
  public let recording = Recording(role: .terminal)
  /// Whether the card has answered a command since `identify`.
  public private(set) var hasAnswer = false
  private let clock = SystemClock()

  /// Creates a series without exchanges.
  public init() {}

  /// Notes the answer to reset and the protocol of a card that has come.
  public mutating func identify(_ identity: CardIdentity) {
    hasAnswer = false
    recording.identify(identity)
  }

  /// Sends a command. A command that is not answered because its card leaves is not recorded when it is the card's first.
  ///
  /// - Parameters:
  ///   - octets: The command as it goes on the wire, 1 to 65 544 bytes.
  ///   - followsUp: Whether 61xx is followed by GET RESPONSE, and 6Cxx by the command with the Le that it names.
  ///   - report: Called after each exchange, with its cause.
  /// - Returns: The whole response.
  /// - Throws: `LinkError`; `.protocolViolation` also for a response that never ends.
  public mutating func send<Channel: CardChannel & ~Copyable>(
    _ octets: [UInt8], over channel: inout Channel, followsUp: Bool = true, _ report: (Cause) -> Void = { _ in }
  ) throws(LinkError) -> ResponseAPDU {
    var response = try transmit(octets, over: &channel)
    report(.asked)
    // Bytes that are no command have no Le that could be corrected.
    guard followsUp, let command = try? CommandAPDU(parsing: octets.span) else { return response }
    var assembly = ResponseAssembly(command: command)
    while true {
      switch try Self.next(&assembly, response) {
      case .complete(let whole): return whole
      case .transmit(let following):
        let status = response.status
        response = try transmit(following.encoded, over: &channel)
        if case .wrongLength = status.meaning { report(.wrongLength(status)) } else { report(.announced(status)) }
      }
    }
  }

  private static func next(
    _ assembly: inout ResponseAssembly, _ response: ResponseAPDU
  ) throws(LinkError) -> ResponseAssembly.Step {
    do throws(ResponseAssemblyError) {
      return try assembly.receive(response)
    } catch {
      throw LinkError(.protocolViolation, "\(error)")
    }
  }

  private mutating func transmit<Channel: CardChannel & ~Copyable>(
    _ octets: [UInt8], over channel: inout Channel
  ) throws(LinkError) -> ResponseAPDU {
    let response = try recording.exchange(
      octets, over: &channel, room: ResponseAPDU.maximumCount, clock: clock, keepsRemoval: hasAnswer
    ).response
    hasAnswer = true
    return try ResponseAPDU(received: response.span)
  }
}
