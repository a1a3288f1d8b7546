/// A return code of the PC/SC library other than success. Unknown codes are kept.
public struct PCSCError: RawRepresentable, Error, Hashable, Sendable, CustomStringConvertible {
  /// The code, such as 0x8010001D.
  public let rawValue: UInt32

  /// Creates an error from a code, which may be unknown.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The name in pcsclite.h, or nil for an unknown code.
  public var name: String? { Self.table.first { $0.error == self }?.name }

  /// The cause, with the code's name and number.
  public var description: String {
    let digits = String(rawValue, radix: 16, uppercase: true)
    guard let known = Self.table.first(where: { $0.error == self }) else { return "unknown PC/SC error 0x\(digits)" }
    return "\(known.text) (\(known.name), 0x\(digits))"
  }
}

extension PCSCError {
  /// Every error that pcsclite.h names, in its order: the error, its name in C and its meaning.
  package static let table = rows.map { (error: PCSCError(rawValue: $0), name: $1, text: $2) }

  private static let rows: [(UInt32, String, String)] = [
    (0x8010_0001, "SCARD_F_INTERNAL_ERROR", "the reader service has an internal error"),
    (0x8010_0002, "SCARD_E_CANCELLED", "the wait was cancelled"),
    (0x8010_0003, "SCARD_E_INVALID_HANDLE", "the handle is unknown or closed"),
    (0x8010_0004, "SCARD_E_INVALID_PARAMETER", "a parameter has no meaning for the reader service"),
    (0x8010_0005, "SCARD_E_INVALID_TARGET", "the start-up information is missing or wrong"),
    (0x8010_0006, "SCARD_E_NO_MEMORY", "the reader service has no memory left"),
    (0x8010_0007, "SCARD_F_WAITED_TOO_LONG", "an internal timer of the reader service ran out"),
    (
      0x8010_0008, "SCARD_E_INSUFFICIENT_BUFFER",
      "the response does not fit into the buffer; the card has executed the command"
    ),
    (0x8010_0009, "SCARD_E_UNKNOWN_READER", "there is no reader of this name"),
    (0x8010_000A, "SCARD_E_TIMEOUT", "the time limit has passed"),
    (0x8010_000B, "SCARD_E_SHARING_VIOLATION", "another program uses the card, or this one asks for exclusive use"),
    (0x8010_000C, "SCARD_E_NO_SMARTCARD", "there is no card in the reader"),
    (0x8010_000D, "SCARD_E_UNKNOWN_CARD", "the card's name is not known"),
    (0x8010_000E, "SCARD_E_CANT_DISPOSE", "the card cannot be left in the state that was asked for"),
    (0x8010_000F, "SCARD_E_PROTO_MISMATCH", "the card and the program use different protocols"),
    (0x8010_0010, "SCARD_E_NOT_READY", "the reader or the card is not ready yet"),
    (0x8010_0011, "SCARD_E_INVALID_VALUE", "a value has no meaning for the reader service"),
    (0x8010_0012, "SCARD_E_SYSTEM_CANCELLED", "the system cancelled the action"),
    (0x8010_0013, "SCARD_F_COMM_ERROR", "the connection to the reader service broke"),
    (0x8010_0014, "SCARD_F_UNKNOWN_ERROR", "the reader service failed for a reason that it does not know"),
    (0x8010_0015, "SCARD_E_INVALID_ATR", "the answer to reset is not valid"),
    (0x8010_0016, "SCARD_E_NOT_TRANSACTED", "the reader could not exchange the command with the card"),
    (0x8010_0017, "SCARD_E_READER_UNAVAILABLE", "the reader is not available at the moment"),
    (0x8010_0018, "SCARD_P_SHUTDOWN", "the action was cancelled because the reader service ends"),
    (0x8010_0019, "SCARD_E_PCI_TOO_SMALL", "the protocol control information is too small"),
    (0x8010_001A, "SCARD_E_READER_UNSUPPORTED", "the reader's driver lacks what the reader service needs"),
    (0x8010_001B, "SCARD_E_DUPLICATE_READER", "two readers have the same name"),
    (0x8010_001C, "SCARD_E_CARD_UNSUPPORTED", "the card lacks what the reader service needs"),
    (0x8010_001D, "SCARD_E_NO_SERVICE", "the reader service is not running"),
    (0x8010_001E, "SCARD_E_SERVICE_STOPPED", "the reader service has ended"),
    (0x8010_001F, "SCARD_E_UNSUPPORTED_FEATURE", "the reader's driver does not support this"),
    (0x8010_0020, "SCARD_E_ICC_INSTALLATION", "there is no provider for the card"),
    (0x8010_0021, "SCARD_E_ICC_CREATEORDER", "the order of creation is not supported"),
    (0x8010_0023, "SCARD_E_DIR_NOT_FOUND", "the card has no such directory"),
    (0x8010_0024, "SCARD_E_FILE_NOT_FOUND", "the card has no such file"),
    (0x8010_0025, "SCARD_E_NO_DIR", "the path names no directory of the card"),
    (0x8010_0026, "SCARD_E_NO_FILE", "the path names no file of the card"),
    (0x8010_0027, "SCARD_E_NO_ACCESS", "the file may not be read or written"),
    (0x8010_0028, "SCARD_E_WRITE_TOO_MANY", "the card has no room for the data"),
    (0x8010_0029, "SCARD_E_BAD_SEEK", "the position in the card's file could not be set"),
    (0x8010_002A, "SCARD_E_INVALID_CHV", "the PIN is wrong"),
    (0x8010_002B, "SCARD_E_UNKNOWN_RES_MNG", "a layer below the reader service failed with an unknown code"),
    (0x8010_002C, "SCARD_E_NO_SUCH_CERTIFICATE", "there is no such certificate"),
    (0x8010_002D, "SCARD_E_CERTIFICATE_UNAVAILABLE", "the certificate cannot be had"),
    (0x8010_002E, "SCARD_E_NO_READERS_AVAILABLE", "there is no reader"),
    (0x8010_002F, "SCARD_E_COMM_DATA_LOST", "data was lost between the reader and the card"),
    (0x8010_0030, "SCARD_E_NO_KEY_CONTAINER", "the card has no such key container"),
    (0x8010_0031, "SCARD_E_SERVER_TOO_BUSY", "the reader service is too busy"),
    (0x8010_0065, "SCARD_W_UNSUPPORTED_CARD", "the reader does not support a card with this answer to reset"),
    (0x8010_0066, "SCARD_W_UNRESPONSIVE_CARD", "the card does not answer to a reset"),
    (0x8010_0067, "SCARD_W_UNPOWERED_CARD", "the card has no power"),
    (0x8010_0068, "SCARD_W_RESET_CARD", "the card was reset, so its protocol and state are lost"),
    (0x8010_0069, "SCARD_W_REMOVED_CARD", "the card was removed"),
    (
      0x8010_006A, "SCARD_W_SECURITY_VIOLATION",
      "the reader service closed the connection: it has ended, or its polkit rules refuse this user"
    ),
    (0x8010_006B, "SCARD_W_WRONG_CHV", "a wrong PIN was presented"),
    (0x8010_006C, "SCARD_W_CHV_BLOCKED", "the PIN is blocked"),
    (0x8010_006D, "SCARD_W_EOF", "the card's file ends here"),
    (0x8010_006E, "SCARD_W_CANCELLED_BY_USER", "the user chose to cancel"),
    (0x8010_006F, "SCARD_W_CARD_NOT_AUTHENTICATED", "no PIN was presented"),
  ]
}
