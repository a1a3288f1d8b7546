#if PCSC
  internal import CPCSC
  internal import Octets

  /// A connection to the reader service. Every call on it blocks while another thread waits in one on the same context,
  /// so use one context per session and another one for watching.
  ///
  /// A card owns the context it was connected through, a transaction owns its card: none outlives what it needs.
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

    /// Disconnects, and tells when that fails; letting go of the context does the same in silence. Wraps
    /// `SCardReleaseContext`.
    public consuming func release() throws(PCSCError) {
      let handle = handle
      discard self
      try check(SCardReleaseContext(handle))
    }

    /// The names of all readers, each slot on its own; none is no error. Wraps `SCardListReaders`.
    public borrowing func readerNames() throws(PCSCError) -> [String] {
      var buffer = [CChar](repeating: 0, count: Self.nameListCapacity)
      var length = DWORD(buffer.count)
      do throws(PCSCError) {
        // The library is told how much room there is, and what it used of it.
        try check(unsafe SCardListReaders(handle, nil, &buffer, &length))
      } catch PCSCError.noReadersAvailable {
        return []
      }
      return Self.names(in: buffer.prefix(Int(clamping: length)))
    }

    /// Room for twice as many readers as the service has places for, each with the longest name.
    private static let nameListCapacity = 2 * Int(PCSCLITE_MAX_READERS_CONTEXTS) * (Int(MAX_READERNAME) + 1)

    /// Names end with a zero, their list with another.
    private static func names(in list: ArraySlice<CChar>) -> [String] {
      list.split(separator: 0).map { name in String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self) }
    }

    /// Connects to the card in a reader. The context becomes the card's; a failed attempt releases it.
    ///
    /// - Parameters:
    ///   - reader: The full name.
    ///   - sharing: With `.exclusive` nobody else can use the card. With `.shared` the call blocks without a limit
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
      return PCSCCard(connection: PCSCConnection(owning: card), activeProtocol: active, context: self)
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
