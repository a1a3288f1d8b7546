// The errors that this module knows by name, in the order of pcsclite.h.

extension PCSCError {
  /// `SCARD_E_CANCELLED`: the wait was cancelled.
  public static let cancelled = PCSCError(rawValue: 0x8010_0002)
  /// `SCARD_F_WAITED_TOO_LONG`: an internal timer of the reader service ran out.
  public static let waitedTooLong = PCSCError(rawValue: 0x8010_0007)
  /// `SCARD_E_INSUFFICIENT_BUFFER`: the response does not fit into the buffer; the card has executed the
  /// command.
  public static let insufficientBuffer = PCSCError(rawValue: 0x8010_0008)
  /// `SCARD_E_UNKNOWN_READER`: there is no reader of this name.
  public static let unknownReader = PCSCError(rawValue: 0x8010_0009)
  /// `SCARD_E_TIMEOUT`: the time limit has passed.
  public static let timedOut = PCSCError(rawValue: 0x8010_000A)
  /// `SCARD_E_SHARING_VIOLATION`: another program uses the card, or this one asks for exclusive use.
  public static let sharingViolation = PCSCError(rawValue: 0x8010_000B)
  /// `SCARD_E_NO_SMARTCARD`: there is no card in the reader.
  public static let noSmartCard = PCSCError(rawValue: 0x8010_000C)
  /// `SCARD_E_PROTO_MISMATCH`: the card and the program use different protocols.
  public static let protocolMismatch = PCSCError(rawValue: 0x8010_000F)
  /// `SCARD_E_SYSTEM_CANCELLED`: the system cancelled the action.
  public static let systemCancelled = PCSCError(rawValue: 0x8010_0012)
  /// `SCARD_F_COMM_ERROR`: the connection to the reader service broke.
  public static let communicationError = PCSCError(rawValue: 0x8010_0013)
  /// `SCARD_E_INVALID_ATR`: the answer to reset is not valid.
  public static let invalidATR = PCSCError(rawValue: 0x8010_0015)
  /// `SCARD_E_NOT_TRANSACTED`: the reader could not exchange the command with the card.
  public static let notTransacted = PCSCError(rawValue: 0x8010_0016)
  /// `SCARD_E_READER_UNAVAILABLE`: the reader is not available at the moment.
  public static let readerUnavailable = PCSCError(rawValue: 0x8010_0017)
  /// `SCARD_P_SHUTDOWN`: the action was cancelled because the reader service ends.
  public static let shutdown = PCSCError(rawValue: 0x8010_0018)
  /// `SCARD_E_READER_UNSUPPORTED`: the reader's driver lacks what the reader service needs.
  public static let readerUnsupported = PCSCError(rawValue: 0x8010_001A)
  /// `SCARD_E_DUPLICATE_READER`: two readers have the same name.
  public static let duplicateReader = PCSCError(rawValue: 0x8010_001B)
  /// `SCARD_E_NO_SERVICE`: the reader service is not running.
  public static let noService = PCSCError(rawValue: 0x8010_001D)
  /// `SCARD_E_SERVICE_STOPPED`: the reader service has ended.
  public static let serviceStopped = PCSCError(rawValue: 0x8010_001E)
  /// `SCARD_E_UNSUPPORTED_FEATURE`: the reader's driver does not support this.
  public static let unsupportedFeature = PCSCError(rawValue: 0x8010_001F)
  /// `SCARD_E_NO_READERS_AVAILABLE`: there is no reader.
  public static let noReadersAvailable = PCSCError(rawValue: 0x8010_002E)
  /// `SCARD_E_SERVER_TOO_BUSY`: the reader service is too busy.
  public static let serverTooBusy = PCSCError(rawValue: 0x8010_0031)
  /// `SCARD_W_UNSUPPORTED_CARD`: the reader does not support a card with this answer to reset.
  public static let unsupportedCard = PCSCError(rawValue: 0x8010_0065)
  /// `SCARD_W_UNRESPONSIVE_CARD`: the card does not answer to a reset.
  public static let unresponsiveCard = PCSCError(rawValue: 0x8010_0066)
  /// `SCARD_W_UNPOWERED_CARD`: the card has no power.
  public static let unpoweredCard = PCSCError(rawValue: 0x8010_0067)
  /// `SCARD_W_RESET_CARD`: the card was reset, so its protocol and state are lost.
  public static let resetCard = PCSCError(rawValue: 0x8010_0068)
  /// `SCARD_W_REMOVED_CARD`: the card was removed.
  public static let removedCard = PCSCError(rawValue: 0x8010_0069)
  /// `SCARD_W_SECURITY_VIOLATION`: the reader service closed the connection: it has ended, or its polkit rules refuse
  /// this user.
  public static let securityViolation = PCSCError(rawValue: 0x8010_006A)
}
