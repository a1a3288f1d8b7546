#if PCSC
  internal import CPCSC
  internal import Octets

  /// A function of a reader's driver that is not an exchange with a card. Wraps `SCARD_CTL_CODE`.
  public struct PCSCControlCode: Hashable, Sendable {
    let value: UInt

    /// Creates the code of a function; the functions differ between drivers.
    public init(function: UInt16) {
      value = contactless_control_code(DWORD(function))
    }

    /// libccid sends the input to the reader without change: `IOCTL_SMARTCARD_VENDOR_IFD_EXCHANGE`.
    public static let vendorExchange = PCSCControlCode(function: 1)
    /// The same for drivers that use the code of other operating systems: `IOCTL_CCID_ESCAPE`.
    public static let escape = PCSCControlCode(function: 3500)
  }

  /// A connected reader, with or without a card in it. Releasing it disconnects and keeps the card's state.
  public struct PCSCDirectReader: ~Copyable, Sendable {
    // The order of the fields matters: see `PCSCCard`.
    private var hold: PCSCTransactionHold?
    let connection: PCSCConnection
    private let context: PCSCContext

    fileprivate init(connection: consuming PCSCConnection, context: consuming PCSCContext) {
      self.connection = connection
      self.context = context
    }

    /// Claims the reader: no other program can use it until this value is released. Blocks while another program has
    /// claimed it. Wraps `SCardBeginTransaction`.
    public mutating func claim() throws(PCSCError) {
      guard hold == nil else { return }
      try check(SCardBeginTransaction(connection.handle))
      hold = PCSCTransactionHold(handle: connection.handle)
    }

    /// Calls a function of the reader's driver, and blocks until it answers: libpcsclite has no time limit, and the
    /// call cannot be interrupted. Wraps `SCardControl`.
    ///
    /// - Parameters:
    ///   - code: The function.
    ///   - input: At most 65544 bytes.
    ///   - room: The longest response in bytes, up to 65544.
    /// - Throws: `PCSCError`: `.unsupportedFeature` when the driver has no such function, `.notTransacted` when the
    ///   reader is unplugged or too slow or the driver refuses, `.insufficientBuffer` for a longer response.
    public borrowing func control(
      _ code: PCSCControlCode, _ input: [UInt8], room: Int = 512
    ) throws(PCSCError) -> [UInt8] {
      var output = [UInt8](repeating: 0, count: room)
      var count: DWORD = 0
      // The library is given the lengths of both buffers, and returns the length that it has written.
      try check(
        unsafe SCardControl(connection.handle, code.value, input, DWORD(input.count), &output, DWORD(room), &count))
      return Array(output.prefix(Int(clamping: count)))
    }
  }

  extension PCSCContext {
    /// Connects to a reader without a card. The reader owns the context from now on; a failed attempt releases it.
    /// Blocks without a limit while another program holds a transaction.
    ///
    /// - Parameter reader: The full name.
    /// - Throws: `PCSCError`, `.sharingViolation` when a program uses the card exclusively. Wraps `SCardConnect` with
    ///   `SCARD_SHARE_DIRECT`.
    public consuming func connectDirectly(to reader: String) throws(PCSCError) -> PCSCDirectReader {
      var card: SCARDHANDLE = 0
      var active: DWORD = 0
      // The library reads the name, and writes one handle and one number.
      try check(unsafe SCardConnect(handle, reader, DWORD(SCARD_SHARE_DIRECT), 0, &card, &active))
      return PCSCDirectReader(
        connection: PCSCConnection(handle: card, disposition: .leave), context: self)
    }
  }
#endif
