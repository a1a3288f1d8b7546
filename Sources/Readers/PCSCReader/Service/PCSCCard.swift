#if PCSC
  internal import CPCSC
  internal import Octets

  /// A connected card. Releasing it disconnects and resets the card.
  public struct PCSCCard: ~Copyable, Sendable {
    // The order matters: fields are destroyed from first to last, and the handle must be disconnected before its
    // context is released. In the other order the context would disconnect the card, and this handle would be invalid.
    let connection: PCSCConnection
    let activeProtocol: DWORD
    let context: PCSCContext

    /// The state of a connected card.
    public struct Status: Equatable, Sendable {
      /// The answer to reset.
      public let answerToReset: [UInt8]
      /// `T=0`, `T=1` or `raw`.
      public let protocolName: String
    }

    /// The answer to reset and the protocol. Wraps `SCardStatus`.
    ///
    /// - Throws: `PCSCError`, `.removedCard` or `.resetCard` when the card is no longer the one that was connected.
    public borrowing func status() throws(PCSCError) -> Status {
      var octets = [UInt8](repeating: 0, count: Int(MAX_ATR_SIZE))
      var length = DWORD(octets.count)
      // The library is given the length of the buffer; nil stands for values that are not needed.
      try check(unsafe SCardStatus(connection.handle, nil, nil, nil, nil, &octets, &length))
      return Status(
        answerToReset: Array(octets.prefix(Int(clamping: length))), protocolName: Self.name(of: activeProtocol))
    }

    private static func name(of activeProtocol: DWORD) -> String {
      switch Int32(clamping: activeProtocol) {
      case SCARD_PROTOCOL_T0: "T=0"
      case SCARD_PROTOCOL_T1: "T=1"
      default: "raw"
      }
    }

    /// Begins a transaction: until it ends no other program can use the card. Blocks while another program holds a
    /// transaction, which is impossible when the card was connected with `.exclusive`.
    ///
    /// The transaction owns the card from now on; a failed attempt disconnects it. Wraps `SCardBeginTransaction`.
    public consuming func beginTransaction() throws(PCSCError) -> PCSCTransaction {
      try check(SCardBeginTransaction(connection.handle))
      return PCSCTransaction(hold: PCSCTransactionHold(handle: connection.handle), card: self)
    }

    /// Disconnects. Releasing the card does the same and ignores errors. Wraps `SCardDisconnect`.
    public consuming func disconnect(_ disposition: PCSCDisposition = .reset) throws(PCSCError) -> PCSCContext {
      let context = context
      try connection.disconnect(disposition)
      return context
    }

    /// Sends a command and receives the response into the caller's buffer. Wraps `SCardTransmit`.
    ///
    /// - Parameters:
    ///   - command: At most 65544 bytes.
    ///   - response: At least 2 bytes of room.
    /// - Returns: The number of bytes received. Fewer than 2 are not a response: some drivers report a card that
    ///   leaves during a command as success without data.
    /// - Throws: `PCSCError`. With `.insufficientBuffer` the card has executed the command, and its response is lost.
    public borrowing func transmit(
      _ command: Span<UInt8>, into response: inout MutableRawSpan
    ) throws(PCSCError) -> Int {
      let size = DWORD(MemoryLayout<SCARD_IO_REQUEST>.size)
      var sent = SCARD_IO_REQUEST(dwProtocol: activeProtocol, cbPciLength: size)
      var received = sent
      let handle = connection.handle
      // The client library refuses a buffer that is longer than the longest response.
      var length = DWORD(min(response.byteCount, Self.maximumTransfer))
      // Both buffers are borrowed for the call, with their lengths. `received` could be nil for libpcsclite, but the
      // spy library that can replace it reads it without a check.
      let code = unsafe command.withUnsafeBufferPointer { from in
        unsafe response.withUnsafeMutableBytes { to in
          unsafe SCardTransmit(
            handle, &sent, from.baseAddress, DWORD(from.count), &received,
            to.baseAddress?.assumingMemoryBound(to: UInt8.self), &length)
        }
      }
      try check(code)
      return min(Int(clamping: length), response.byteCount)
    }

    /// `MAX_BUFFER_SIZE_EXTENDED` in pcsclite.h, which Swift cannot import.
    private static let maximumTransfer = 4 + 3 + 65536 + 3 + 2
  }

  /// The handle of a connected card, or of a reader that is connected without a card.
  struct PCSCConnection: ~Copyable, Sendable {
    let handle: SCARDHANDLE
    /// What happens to the card when this value is released.
    let disposition: PCSCDisposition

    deinit { _ = SCardDisconnect(handle, disposition.value) }

    consuming func disconnect(_ disposition: PCSCDisposition) throws(PCSCError) {
      let handle = handle
      discard self
      try check(SCardDisconnect(handle, disposition.value))
    }
  }

  extension PCSCDisposition {
    var value: DWORD {
      switch self {
      case .leave: DWORD(SCARD_LEAVE_CARD)
      case .reset: DWORD(SCARD_RESET_CARD)
      }
    }
  }

  /// A card that is reserved for this program. Releasing the transaction ends it, then disconnects and resets the card.
  public struct PCSCTransaction: ~Copyable, Sendable {
    // The order of the fields matters: see `PCSCCard`.
    let hold: PCSCTransactionHold
    /// The card.
    public let card: PCSCCard

    /// Ends the transaction and returns the card. Wraps `SCardEndTransaction`.
    ///
    /// - Throws: `PCSCError`; the card is disconnected then.
    public consuming func end(_ disposition: PCSCDisposition = .leave) throws(PCSCError) -> PCSCCard {
      let card = card
      try hold.end(disposition)
      return card
    }
  }

  /// The obligation to end a transaction.
  struct PCSCTransactionHold: ~Copyable, Sendable {
    let handle: SCARDHANDLE

    deinit { _ = SCardEndTransaction(handle, PCSCDisposition.leave.value) }

    consuming func end(_ disposition: PCSCDisposition) throws(PCSCError) {
      let handle = handle
      discard self
      try check(SCardEndTransaction(handle, disposition.value))
    }
  }
#endif
