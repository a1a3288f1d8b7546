#if PCSC
  internal import CPCSC
  internal import Octets

  /// A card that a program is connected to. Letting go of it disconnects and resets the card.
  public struct PCSCCard: ~Copyable, Sendable {
    // The order matters: fields go from first to last, and the service disconnects before it says farewell. Were it the
    // other way round, releasing the context would disconnect the card, and this handle would only be unknown.
    let connection: PCSCConnection
    let activeProtocol: DWORD
    let context: PCSCContext

    /// What is known of a connected card.
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
      // The library is told how much room there is; nil means that we do not ask.
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

    /// Begins a transaction: until its end no other program reaches the card. Blocks while another one has a
    /// transaction of its own, which cannot be when the card was connected with `.exclusive`.
    ///
    /// The card becomes the transaction's; a failed attempt disconnects it. Wraps `SCardBeginTransaction`.
    public consuming func beginTransaction() throws(PCSCError) -> PCSCTransaction {
      try check(SCardBeginTransaction(connection.handle))
      return PCSCTransaction(hold: PCSCTransactionHold(of: connection.handle), card: self)
    }

    /// Disconnects, and tells when that fails. Wraps `SCardDisconnect`.
    public consuming func disconnect(_ disposition: PCSCDisposition = .reset) throws(PCSCError) -> PCSCContext {
      let context = context
      try connection.disconnect(disposition)
      return context
    }

    /// Sends a command and receives the response into the caller's room. Wraps `SCardTransmit`.
    ///
    /// - Parameters:
    ///   - command: At most 65544 octets.
    ///   - response: At least 2 octets of room.
    /// - Returns: The number of octets received. Fewer than 2 are no response: some drivers report a card torn out in
    ///   the middle of a command as success with nothing received.
    /// - Throws: `PCSCError`. With `.insufficientBuffer` the card has executed the command, and its answer is lost.
    public borrowing func transmit(
      _ command: Span<UInt8>, into response: inout MutableRawSpan
    ) throws(PCSCError) -> Int {
      let size = DWORD(MemoryLayout<SCARD_IO_REQUEST>.size)
      var sent = SCARD_IO_REQUEST(dwProtocol: activeProtocol, cbPciLength: size)
      var received = sent
      let handle = connection.handle
      // The client library refuses rooms that are larger than any answer.
      var length = DWORD(min(response.byteCount, Self.maximumTransfer))
      // Both regions are lent for the call and their lengths are passed along. `received` is given although it may be
      // nil: the tracing library that can take libpcsclite's place reads it without asking.
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

  /// The handle of a connected card.
  struct PCSCConnection: ~Copyable, Sendable {
    let handle: SCARDHANDLE

    init(owning handle: SCARDHANDLE) {
      self.handle = handle
    }

    deinit { _ = SCardDisconnect(handle, PCSCDisposition.reset.value) }

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
      case .unpower: DWORD(SCARD_UNPOWER_CARD)
      case .eject: DWORD(SCARD_EJECT_CARD)
      }
    }
  }
#endif
