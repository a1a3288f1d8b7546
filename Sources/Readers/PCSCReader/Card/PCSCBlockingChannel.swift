#if PCSC
  public import Links
  internal import Octets

  /// A card in a PC/SC reader, as with `PCSCChannel`, but without a time limit and called on the caller's thread: a command
  /// costs what `SCardTransmit` costs. For programs that can go on without the thread when a card does not answer, and for
  /// measurements.
  public struct PCSCBlockingChannel: ~Copyable, CardChannel {
    /// The card's identity, as the reader reports it.
    public let identity: CardIdentity

    /// The reader's full name.
    public let reader: String
    private var session: PCSCSession?
    private var failure: LinkError?

    /// Connects to the card in a reader. Blocks, without a limit while another program is in a transaction with the card.
    ///
    /// - Parameters:
    ///   - reader: The full name; see `PCSCService.reader(matching:)`.
    ///   - patience: How long to wait while another program has the card exclusively.
    /// - Throws: `LinkError`: `.busy` when another program still has the card then, `.cardRemoved` without a card,
    ///   `.readerUnavailable`, `.serviceUnavailable`.
    public init(reader: String, patience: Duration = .seconds(5)) throws(LinkError) {
      var session = try PCSCSession(reader: reader, until: SystemClock().now + patience)
      do throws(LinkError) {
        identity = try session.open()
      } catch {
        session.close()
        throw error
      }
      self.reader = reader
      self.session = consume session
    }

    /// Sends a command to the card and waits for the response, without a limit.
    ///
    /// - Returns: The length of the response, at least 2.
    /// - Throws: `LinkError`: `.cardRemoved`, `.serviceUnavailable`, `.protocolViolation`, `.transmissionFailed`; the channel
    ///   is closed after any of them.
    public mutating func transmit(
      _ command: Span<UInt8>, into response: inout MutableRawSpan
    ) throws(LinkError) -> Int {
      if let failure { throw failure }
      do throws(LinkError) {
        try command.checkPCSCLength()
        guard let count = try session?.transmit(command, into: &response) else {
          preconditionFailure("a channel without a failure has a session")
        }
        return count
      } catch {
        close(because: error)
        throw error
      }
    }

    /// Resets the card and releases it for other programs.
    public mutating func close() {
      close(because: LinkError(.cardRemoved, "reader \"\(reader)\": the channel to the card is closed; open a new one"))
    }

    private mutating func close(because reason: LinkError) {
      guard failure == nil else { return }
      failure = reason
      session.take()?.close()
    }
  }
#endif
