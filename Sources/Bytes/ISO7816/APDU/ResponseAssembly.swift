/// Why a response could not be put together.
public enum ResponseAssemblyError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The card kept asking for another Le.
  case wrongLengthRepeated(limit: Int)
  /// The card kept announcing more data.
  case tooManyParts(limit: Int)
  /// More data than one response can carry.
  case tooLong(count: Int, limit: Int)

  /// A sentence with the value and the limit.
  public var description: String {
    switch self {
    case .wrongLengthRepeated(let limit): "the card asked for another Le more than \(limit) times"
    case .tooManyParts(let limit): "the card announced more data more than \(limit) times"
    case .tooLong(let count, let limit): "the parts of the response are \(count) octets: the limit is \(limit)"
    }
  }
}

/// Puts one response together from what the card really sends: 61xx is followed by GET RESPONSE, 6Cxx by the same
/// command with the right Le (ISO/IEC 7816-3:2006, 12.2; EMV 4.4 Book 1, 9.3.1). A pure machine above the channel.
public struct ResponseAssembly: ~Copyable {
  /// What to do next.
  public enum Step: Equatable, Sendable {
    /// Send this and feed the answer in.
    case transmit(CommandAPDU)
    /// The response is whole.
    case complete(ResponseAPDU)
  }

  /// How the card's link treats a remark on a command with data and Le.
  public enum Transport: Sendable {
    /// T=1 and contactless: data and remark come together.
    case blocks
    /// T=0: after 62xx or 63xx without data, GET RESPONSE fetches them (EMV 4.4 Book 1, 9.3.1.1.4).
    case characters
  }

  /// 65536 octets: the most that an extended Le can ask for.
  public static let maximumDataCount = 65536
  /// A part carries 256 octets, so 257 announcements are one too many for 65536.
  public static let maximumParts = 256
  /// A card that corrects Le twice for the same command will do so for ever.
  public static let maximumLengthCorrections = 2

  private let transport: Transport
  private var pending: CommandAPDU
  private var data: [UInt8] = []
  private var remark: StatusWord?
  private var parts = 0
  private var corrections = 0

  /// Begins with the command that is being sent.
  public init(command: CommandAPDU, transport: Transport = .blocks) {
    pending = command
    self.transport = transport
  }

  /// Takes the answer to what was sent last.
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
    // GET RESPONSE itself has no data, so that its remark is the end.
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
