#if PCSC
  public import Links
  internal import Octets

  /// A card in a PC/SC reader, ours alone: connected exclusively and held in one transaction. Letting go of the channel
  /// resets the card.
  public struct PCSCChannel: ~Copyable, CardChannel {
    /// What the reader says of the card.
    public let identity: CardIdentity

    private let reader: String
    private let responseLimit: Duration
    private let conversation: Conversation<PCSCSession>
    private var failure: LinkError?

    /// Connects to the card in a reader. Blocks, never longer than `patience` because of others.
    ///
    /// - Parameters:
    ///   - reader: The full name; see `PCSCService.reader(matching:)`.
    ///   - patience: How long to wait while another program uses the card.
    ///   - responseLimit: How long a response may take. Cards may ask for 5 s at a time (ISO 14443-4), again and again.
    /// - Throws: `LinkError`: `.busy` when another program still uses the card then, `.cardRemoved` without a card,
    ///   `.readerUnavailable`, `.serviceUnavailable`.
    public init(
      reader: String, patience: Duration = .seconds(5), responseLimit: Duration = .seconds(30)
    ) throws(LinkError) {
      (conversation, identity) = try Conversation.begin(with: reader, on: "pcsc-card", patience: patience)
      self.reader = reader
      self.responseLimit = responseLimit
    }

    deinit {
      if failure == nil { conversation.end(patience: Self.leaving) }
    }

    /// Sends a command to the card and waits for the response.
    ///
    /// - Returns: The length of the response, at least 2.
    /// - Throws: `LinkError`: `.cardRemoved`, `.serviceUnavailable`, `.timedOut`, `.protocolViolation`,
    ///   `.transmissionFailed`; the channel is closed after any of them.
    public mutating func transmit(
      _ command: Span<UInt8>, into response: inout MutableRawSpan
    ) throws(LinkError) -> Int {
      if let failure { throw failure }
      do throws(LinkError) {
        try check(command)
        let octets = try answer(to: PCSCSession.Question(command: command.array, room: response.byteCount))
        response.copy(octets.span, to: 0)
        return octets.count
      } catch {
        leave(because: error)
        throw error
      }
    }

    private func answer(to question: PCSCSession.Question) throws(LinkError) -> [UInt8] {
      try conversation.ask(question).value(
        within: responseLimit,
        else: LinkError(
          .timedOut,
          """
          reader "\(reader)": the card has not answered within \(responseLimit); take it off and lay it on again
          """))
    }

    /// Header alone, and what fits into the 16 bits in which vpcd counts: it ejects the card over a longer one, and takes
    /// a single octet for a word of its own.
    private static let commandCounts = 4...65_535

    private func check(_ command: Span<UInt8>) throws(LinkError) {
      guard Self.commandCounts.contains(command.count) else {
        throw LinkError(
          .transmissionFailed,
          """
          a command of \(command.count) octets: the limits are \(Self.commandCounts.lowerBound) and \
          \(Self.commandCounts.upperBound)
          """)
      }
    }

    /// Resets the card and lets other programs have it.
    public mutating func close() {
      leave(because: LinkError(.cardRemoved, "the channel to reader \"\(reader)\" is closed; open a new one"))
    }

    /// How long a reset may take, which waits for a card that is silent as well.
    private static let leaving = Duration.seconds(5)

    /// A card that is late would be waited for in vain. It is left to its thread, which lets go of it as soon as it can.
    private mutating func leave(because reason: LinkError) {
      guard failure == nil else { return }
      failure = reason
      conversation.end(patience: reason.code == .timedOut ? .zero : Self.leaving)
    }
  }
#endif
