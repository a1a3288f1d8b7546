internal import Octets

/// The reasons why a response cannot be assembled.
public enum ResponseAssemblyError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The card asked too often for another Le.
  case wrongLengthRepeated(limit: Int)
  /// The card announced more data too often.
  case tooManyParts(limit: Int)
  /// The parts are more than one response can hold.
  case tooLong(count: Int, limit: Int)

  /// A sentence with the value and the limit.
  public var description: String {
    switch self {
    case .wrongLengthRepeated(let limit): "the card asked for another Le more than \(limit) times"
    case .tooManyParts(let limit): "the card announced more data more than \(limit) times"
    case .tooLong(let count, let limit): "the parts of the response are \(count.bytes): the limit is \(limit)"
    }
  }
}

/// Assembles one response from the parts that a card sends: GET RESPONSE follows 61xx, and 6Cxx is followed by the same
/// command with the Le that it names (ISO/IEC 7816-3:2006, 12.2; EMV 4.4 Book 1, 9.3.1). A pure state machine above the
/// channel.
public struct ResponseAssembly: ~Copyable {
  /// The next step.
  public enum Step: Equatable, Sendable {
    /// Send this command and pass its response to `receive`.
    case transmit(CommandAPDU)
    /// The response is complete.
    case complete(ResponseAPDU)
  }

  /// The behaviour of a link after a warning in response to a command with data and Le.
  public enum Transport: Sendable {
    /// T=1 and contactless: data and warning are in one response.
    case blocks
    /// T=0: after 62xx or 63xx without data, GET RESPONSE fetches the data (EMV 4.4 Book 1, 9.3.1.1.4).
    case characters
  }

  /// 65536 bytes: the most that an extended Le can ask for.
  public static let maximumDataCount = 65536
  /// A part has 256 bytes, so a response of 65536 bytes has at most 256 announcements.
  public static let maximumParts = 256
  /// A card that corrects Le twice for the same command would do so without end.
  public static let maximumLengthCorrections = 2

  private let transport: Transport
  private var pending: CommandAPDU
  private var data: [UInt8] = []
  private var remark: StatusWord?
  private var parts = 0
  private var corrections = 0

  /// Creates the machine for a command that is being sent.
  public init(command: CommandAPDU, transport: Transport = .blocks) {
    pending = command
    self.transport = transport
  }

  /// Takes the response to the command that was sent last.
  public mutating func receive(_ response: ResponseAPDU) throws(ResponseAssemblyError) -> Step {
    if case .wrongLength(let available) = response.status.meaning, response.data.isEmpty {
      corrections += 1
      guard corrections <= Self.maximumLengthCorrections else {
        throw .wrongLengthRepeated(limit: Self.maximumLengthCorrections)
      }
      return send(pending.with(expectedLength: available))
    }
    data += response.data
    guard data.count <= Self.maximumDataCount else {
      throw .tooLong(count: data.count, limit: Self.maximumDataCount)
    }
    switch response.status.meaning {
    case .bytesRemaining(let count): return try fetch(count)
    case .warning where fetchesAfterRemark(response):
      remark = response.status
      return try fetch(256)
    default:
      let status = response.status.isOK ? remark ?? response.status : response.status
      return .complete(ResponseAPDU(data: data, status: status))
    }
  }

  private func fetchesAfterRemark(_ response: ResponseAPDU) -> Bool {
    // GET RESPONSE has no command data, so a warning ends the response.
    transport == .characters && response.data.isEmpty && pending.expectedLength != nil && !pending.data.isEmpty
  }

  private mutating func fetch(_ count: Int) throws(ResponseAssemblyError) -> Step {
    parts += 1
    corrections = 0
    guard parts <= Self.maximumParts else { throw .tooManyParts(limit: Self.maximumParts) }
    return send(.getResponse(expectedLength: count))
  }

  private mutating func send(_ command: CommandAPDU) -> Step {
    pending = command
    return .transmit(command)
  }
}
