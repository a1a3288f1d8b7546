internal import Octets

#if PCSC
  public import Links
  internal import Octets

  /// A card in a PC/SC reader, connected exclusively and held in one transaction, whose responses have a time limit.
  /// Releasing the channel resets the card.
  public struct PCSCChannel: ~Copyable, CardChannel {
    /// The card's identity, as the reader reports it.
    public let identity: CardIdentity

    /// The reader's full name.
    public let reader: String
    private let responseLimit: Duration
    private let worker: DeviceWorker<PCSCSession>
    // Both are used for every command. After a command that failed, the channel sends no other.
    private let request = PCSCRequest()
    private let result = PendingResult<Int>()
    private var failure: LinkError?

    /// Connects to the card in a reader. Blocks, because of other programs for at most `patience`.
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
      (worker, identity) = try DeviceWorker.start(reader: reader, thread: "pcsc-card", patience: patience)
      self.reader = reader
      self.responseLimit = responseLimit
    }

    deinit {
      if failure == nil { worker.close(patience: Self.resetLimit) }
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
        try command.checkPCSCLength()
        request.prepare(command, room: response.byteCount)
        let count = try awaitResponse()
        request.copyResponse(count, into: &response)
        return count
      } catch {
        close(because: error)
        throw error
      }
    }

    /// Lets the device's thread perform the request. Returns the length of the response.
    private func awaitResponse() throws(LinkError) -> Int {
      let count = try worker.submit(request, for: result).value(
        within: responseLimit,
        orFailWith: LinkError(
          .timedOut,
          """
          reader "\(reader)": no response from the card within \(responseLimit.text). Remove the card and present it again
          """))
      result.reset()
      return count
    }

    /// Resets the card and releases it for other programs.
    public mutating func close() {
      close(because: LinkError(.cardRemoved, "reader \"\(reader)\": the channel to the card is closed; open a new one"))
    }

    /// How long to wait for the reset, which takes longer with a card that does not answer.
    private static let resetLimit = Duration.seconds(5)

    /// Closes the channel. The thread releases a card that did not answer in time as soon as its call returns; waiting
    /// for that would be in vain.
    private mutating func close(because reason: LinkError) {
      guard failure == nil else { return }
      failure = reason
      worker.close(patience: reason.code == .timedOut ? .zero : Self.resetLimit)
    }
  }
#endif
