#if PCSC
  internal import CPCSC
  internal import Octets

  /// What a reader's driver is asked to do beside cards. Wraps `SCARD_CTL_CODE`.
  public struct PCSCControlCode: Hashable, Sendable {
    let value: UInt

    /// The code of a function, of which each driver has its own.
    public init(function: UInt16) {
      value = contactless_control_code(DWORD(function))
    }

    /// What libccid sends to the reader as it is: `IOCTL_SMARTCARD_VENDOR_IFD_EXCHANGE`.
    public static let vendorExchange = PCSCControlCode(function: 1)
    /// The same for drivers that use the number of other systems: `IOCTL_CCID_ESCAPE`.
    public static let escape = PCSCControlCode(function: 3500)
  }

  /// A reader that a program is connected to, with or without a card in it. Letting go of it disconnects and leaves the
  /// card as it is.
  public struct PCSCDirectReader: ~Copyable, Sendable {
    // The order matters: see `PCSCCard`.
    private var hold: PCSCTransactionHold?
    private let connection: PCSCDirectConnection
    private let context: PCSCContext

    fileprivate init(connection: consuming PCSCDirectConnection, context: consuming PCSCContext) {
      self.connection = connection
      self.context = context
    }

    /// Keeps every other program from the reader until this one lets go of it. Blocks while another one has done so.
    /// Wraps `SCardBeginTransaction`.
    public mutating func claim() throws(PCSCError) {
      guard hold == nil else { return }
      try check(SCardBeginTransaction(connection.handle))
      hold = PCSCTransactionHold(of: connection.handle)
    }

    /// Asks the reader's driver for something, and blocks until it answers: libpcsclite has no limit, and nothing
    /// interrupts the call. Wraps `SCardControl`.
    ///
    /// - Parameters:
    ///   - code: What is asked for.
    ///   - input: At most 65544 octets.
    ///   - room: The most octets that the answer may have, up to 65544.
    /// - Throws: `PCSCError`: `.unsupportedFeature` when the driver does not know the code, `.notTransacted` when the
    ///   reader is gone, is late, or the driver refuses, `.insufficientBuffer` for a longer answer.
    public borrowing func control(
      _ code: PCSCControlCode, _ input: [UInt8], room: Int = 512
    ) throws(PCSCError) -> [UInt8] {
      var output = [UInt8](repeating: 0, count: room)
      var count: DWORD = 0
      // The library is told how much there is to read and how much room to write, and says what it used.
      try check(
        unsafe SCardControl(connection.handle, code.value, input, DWORD(input.count), &output, DWORD(room), &count))
      return Array(output.prefix(Int(clamping: count)))
    }
  }

  /// The handle of a reader that is connected without its card.
  struct PCSCDirectConnection: ~Copyable, Sendable {
    let handle: SCARDHANDLE

    init(owning handle: SCARDHANDLE) {
      self.handle = handle
    }

    deinit { _ = SCardDisconnect(handle, PCSCDisposition.leave.value) }
  }

  extension PCSCContext {
    /// Connects to a reader and not to a card, which need not be there. The context becomes the connection's; a failed
    /// attempt releases it. Blocks without a limit while another program holds a transaction.
    ///
    /// - Parameter reader: The full name.
    /// - Throws: `PCSCError`, `.sharingViolation` when a program has the card for itself. Wraps `SCardConnect` with
    ///   `SCARD_SHARE_DIRECT`.
    public consuming func connectDirectly(to reader: String) throws(PCSCError) -> PCSCDirectReader {
      var card: SCARDHANDLE = 0
      var active: DWORD = 0
      // The library reads the name, and writes one handle and one number.
      try check(unsafe SCardConnect(handle, reader, DWORD(SCARD_SHARE_DIRECT), 0, &card, &active))
      return PCSCDirectReader(connection: PCSCDirectConnection(owning: card), context: self)
    }
  }
#endif
