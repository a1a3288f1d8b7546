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
    private let session: PCSCSession
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
      let transaction = try PCSCAttempt.run(reader: reader, patience: patience)
      do throws(PCSCError) {
        let status = try transaction.card.status()
        identity = CardIdentity(answerToReset: status.answerToReset, protocolName: status.protocolName)
      } catch {
        // A reset here could take as long as a silent card likes.
        transaction.surrender()
        throw error.linkError(reader: reader)
      }
      self.reader = reader
      self.responseLimit = responseLimit
      session = PCSCSession(transaction, reader: reader)
    }

    deinit { session.end() }

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
        let octets = try session.exchange(command.array, room: response.byteCount, within: responseLimit)
        response.copy(octets.span, to: 0)
        return octets.count
      } catch {
        failure = error
        session.end()
        throw error
      }
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
      if failure == nil {
        failure = LinkError(.cardRemoved, "the channel to reader \"\(reader)\" is closed; open a new one")
      }
      session.end()
    }
  }
#endif
