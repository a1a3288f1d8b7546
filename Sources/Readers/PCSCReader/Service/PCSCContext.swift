#if PCSC
  internal import CPCSC
  internal import Octets

  /// Throws the error of a return code. This is the only place where return codes become errors.
  func check(_ code: LONG) throws(PCSCError) {
    // All codes have 32 bits; a C long has more on Linux, and a sign on other systems.
    let code = UInt32(truncatingIfNeeded: code)
    if code != 0 { throw PCSCError(rawValue: code) }
  }

  /// A connection to the reader service. A call blocks while another thread is in a call on the same context, so use
  /// one context per card and another one for presence.
  ///
  /// A card owns the context through which it was connected, and a transaction owns its card.
  public struct PCSCContext: ~Copyable, Sendable {
    let handle: SCARDCONTEXT

    /// Connects to the service.
    ///
    /// - Throws: `PCSCError`, `.noService` when pcscd does not run. Wraps `SCardEstablishContext`.
    public init() throws(PCSCError) {
      var handle: SCARDCONTEXT = 0
      // The library writes one handle.
      try check(unsafe SCardEstablishContext(DWORD(SCARD_SCOPE_SYSTEM), nil, nil, &handle))
      self.handle = handle
    }

    deinit { _ = SCardReleaseContext(handle) }

    /// Disconnects. Releasing the context does the same and ignores errors. Wraps `SCardReleaseContext`.
    public consuming func release() throws(PCSCError) {
      let handle = handle
      discard self
      try check(SCardReleaseContext(handle))
    }

    /// The names of all readers; each slot has its own. The list may be empty. Wraps `SCardListReaders`.
    public borrowing func readerNames() throws(PCSCError) -> [String] {
      var buffer = [CChar](repeating: 0, count: Self.nameListCapacity)
      var length = DWORD(buffer.count)
      do throws(PCSCError) {
        // The library is given the length of the buffer, and returns the length that it has used.
        try check(unsafe SCardListReaders(handle, nil, &buffer, &length))
      } catch PCSCError.noReadersAvailable {
        return []
      }
      return Self.names(in: buffer.prefix(Int(clamping: length)))
    }

    /// Room for twice as many readers as the service supports, each with the longest name.
    private static let nameListCapacity = 2 * Int(PCSCLITE_MAX_READERS_CONTEXTS) * (Int(MAX_READERNAME) + 1)

    /// Each name ends with a zero byte, and so does the list.
    private static func names(in list: ArraySlice<CChar>) -> [String] {
      list.split(separator: 0).map { name in String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self) }
    }

    /// Connects to the card in a reader. The card owns the context from now on; a failed attempt releases it.
    ///
    /// - Parameters:
    ///   - reader: The full name.
    ///   - sharing: With `.exclusive` no other program can use the card. With `.shared` the call blocks without a limit
    ///     while another program holds a transaction.
    /// - Throws: `PCSCError`, such as `.sharingViolation` and `.noSmartCard`. Wraps `SCardConnect`.
    public consuming func connect(
      to reader: String, sharing: PCSCSharing = .exclusive
    ) throws(PCSCError) -> PCSCCard {
      var card: SCARDHANDLE = 0
      var active: DWORD = 0
      let protocols = DWORD(SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1)
      // The library reads the name, and writes one handle and one number.
      try check(unsafe SCardConnect(handle, reader, sharing.value, protocols, &card, &active))
      return PCSCCard(
        connection: PCSCConnection(handle: card, disposition: .reset), activeProtocol: active, context: self)
    }
  }

  extension PCSCSharing {
    var value: DWORD {
      switch self {
      case .exclusive: DWORD(SCARD_SHARE_EXCLUSIVE)
      case .shared: DWORD(SCARD_SHARE_SHARED)
      }
    }
  }
#endif
