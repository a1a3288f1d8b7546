#if PCSC
  internal import CPCSC

  /// The time during which a card belongs to one program. Letting go of it ends the transaction, then disconnects and
  /// resets the card.
  public struct PCSCTransaction: ~Copyable, Sendable {
    // The order matters: see `PCSCCard`.
    let hold: PCSCTransactionHold
    /// The card.
    public let card: PCSCCard

    /// Ends the transaction and gives the card back. Wraps `SCardEndTransaction`.
    ///
    /// - Throws: `PCSCError`; the card is disconnected then.
    public consuming func end(_ disposition: PCSCDisposition = .leave) throws(PCSCError) -> PCSCCard {
      let card = card
      try hold.end(disposition)
      return card
    }

    /// Sends a command and receives the response into the caller's room; see `PCSCCard.transmit(_:into:)`.
    public borrowing func transmit(
      _ command: Span<UInt8>, into response: inout MutableRawSpan
    ) throws(PCSCError) -> Int {
      try card.transmit(command, into: &response)
    }
  }

  /// The obligation to end a transaction.
  struct PCSCTransactionHold: ~Copyable, Sendable {
    private let handle: SCARDHANDLE

    init(of handle: SCARDHANDLE) {
      self.handle = handle
    }

    deinit { _ = SCardEndTransaction(handle, PCSCDisposition.leave.value) }

    consuming func end(_ disposition: PCSCDisposition) throws(PCSCError) {
      let handle = handle
      discard self
      try check(SCardEndTransaction(handle, disposition.value))
    }
  }
#endif
