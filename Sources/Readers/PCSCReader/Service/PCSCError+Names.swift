// The errors of pcsclite.h, in the order of that file.

extension PCSCError {
  /// `SCARD_F_INTERNAL_ERROR`: the reader service has an internal error.
  public static let internalError = PCSCError(rawValue: 0x8010_0001)
  /// `SCARD_E_CANCELLED`: the wait was cancelled.
  public static let cancelled = PCSCError(rawValue: 0x8010_0002)
  /// `SCARD_E_INVALID_HANDLE`: the handle is unknown or closed.
  public static let invalidHandle = PCSCError(rawValue: 0x8010_0003)
  /// `SCARD_E_INVALID_PARAMETER`: a parameter has no meaning for the reader service.
  public static let invalidParameter = PCSCError(rawValue: 0x8010_0004)
  /// `SCARD_E_INVALID_TARGET`: the start-up information is missing or wrong.
  public static let invalidTarget = PCSCError(rawValue: 0x8010_0005)
  /// `SCARD_E_NO_MEMORY`: the reader service has no memory left.
  public static let noMemory = PCSCError(rawValue: 0x8010_0006)
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
  /// `SCARD_E_UNKNOWN_CARD`: the card's name is not known.
  public static let unknownCard = PCSCError(rawValue: 0x8010_000D)
  /// `SCARD_E_CANT_DISPOSE`: the card cannot be left in the state that was asked for.
  public static let cannotDispose = PCSCError(rawValue: 0x8010_000E)
  /// `SCARD_E_PROTO_MISMATCH`: the card and the program use different protocols.
  public static let protocolMismatch = PCSCError(rawValue: 0x8010_000F)
  /// `SCARD_E_NOT_READY`: the reader or the card is not ready yet.
  public static let notReady = PCSCError(rawValue: 0x8010_0010)
  /// `SCARD_E_INVALID_VALUE`: a value has no meaning for the reader service.
  public static let invalidValue = PCSCError(rawValue: 0x8010_0011)
  /// `SCARD_E_SYSTEM_CANCELLED`: the system cancelled the action.
  public static let systemCancelled = PCSCError(rawValue: 0x8010_0012)
  /// `SCARD_F_COMM_ERROR`: the connection to the reader service broke.
  public static let communicationError = PCSCError(rawValue: 0x8010_0013)
  /// `SCARD_F_UNKNOWN_ERROR`: the reader service failed for a reason that it does not know.
  public static let unknownError = PCSCError(rawValue: 0x8010_0014)
  /// `SCARD_E_INVALID_ATR`: the answer to reset is not valid.
  public static let invalidATR = PCSCError(rawValue: 0x8010_0015)
  /// `SCARD_E_NOT_TRANSACTED`: the reader could not exchange the command with the card.
  public static let notTransacted = PCSCError(rawValue: 0x8010_0016)
  /// `SCARD_E_READER_UNAVAILABLE`: the reader is not available at the moment.
  public static let readerUnavailable = PCSCError(rawValue: 0x8010_0017)
  /// `SCARD_P_SHUTDOWN`: the action was cancelled because the reader service ends.
  public static let shutdown = PCSCError(rawValue: 0x8010_0018)
  /// `SCARD_E_PCI_TOO_SMALL`: the protocol control information is too small.
  public static let pciTooSmall = PCSCError(rawValue: 0x8010_0019)
  /// `SCARD_E_READER_UNSUPPORTED`: the reader's driver lacks what the reader service needs.
  public static let readerUnsupported = PCSCError(rawValue: 0x8010_001A)
  /// `SCARD_E_DUPLICATE_READER`: two readers have the same name.
  public static let duplicateReader = PCSCError(rawValue: 0x8010_001B)
  /// `SCARD_E_CARD_UNSUPPORTED`: the card lacks what the reader service needs.
  public static let cardUnsupported = PCSCError(rawValue: 0x8010_001C)
  /// `SCARD_E_NO_SERVICE`: the reader service is not running.
  public static let noService = PCSCError(rawValue: 0x8010_001D)
  /// `SCARD_E_SERVICE_STOPPED`: the reader service has ended.
  public static let serviceStopped = PCSCError(rawValue: 0x8010_001E)
  /// `SCARD_E_UNSUPPORTED_FEATURE`: the reader's driver does not support this.
  public static let unsupportedFeature = PCSCError(rawValue: 0x8010_001F)
  /// `SCARD_E_UNEXPECTED`: the same number as `unsupportedFeature` in libpcsclite.
  public static let unexpected = unsupportedFeature
  /// `SCARD_E_ICC_INSTALLATION`: there is no provider for the card.
  public static let iccInstallation = PCSCError(rawValue: 0x8010_0020)
  /// `SCARD_E_ICC_CREATEORDER`: the order of creation is not supported.
  public static let iccCreationOrder = PCSCError(rawValue: 0x8010_0021)
  /// `SCARD_E_DIR_NOT_FOUND`: the card has no such directory.
  public static let directoryNotFound = PCSCError(rawValue: 0x8010_0023)
  /// `SCARD_E_FILE_NOT_FOUND`: the card has no such file.
  public static let fileNotFound = PCSCError(rawValue: 0x8010_0024)
  /// `SCARD_E_NO_DIR`: the path names no directory of the card.
  public static let noDirectory = PCSCError(rawValue: 0x8010_0025)
  /// `SCARD_E_NO_FILE`: the path names no file of the card.
  public static let noFile = PCSCError(rawValue: 0x8010_0026)
  /// `SCARD_E_NO_ACCESS`: the file may not be read or written.
  public static let noAccess = PCSCError(rawValue: 0x8010_0027)
  /// `SCARD_E_WRITE_TOO_MANY`: the card has no room for the data.
  public static let writeTooMany = PCSCError(rawValue: 0x8010_0028)
  /// `SCARD_E_BAD_SEEK`: the position in the card's file could not be set.
  public static let badSeek = PCSCError(rawValue: 0x8010_0029)
  /// `SCARD_E_INVALID_CHV`: the PIN is wrong.
  public static let invalidCHV = PCSCError(rawValue: 0x8010_002A)
  /// `SCARD_E_UNKNOWN_RES_MNG`: a layer below the reader service failed with an unknown code.
  public static let unknownResourceManagerError = PCSCError(rawValue: 0x8010_002B)
  /// `SCARD_E_NO_SUCH_CERTIFICATE`: there is no such certificate.
  public static let noSuchCertificate = PCSCError(rawValue: 0x8010_002C)
  /// `SCARD_E_CERTIFICATE_UNAVAILABLE`: the certificate is not available.
  public static let certificateUnavailable = PCSCError(rawValue: 0x8010_002D)
  /// `SCARD_E_NO_READERS_AVAILABLE`: there is no reader.
  public static let noReadersAvailable = PCSCError(rawValue: 0x8010_002E)
  /// `SCARD_E_COMM_DATA_LOST`: data was lost between the reader and the card.
  public static let communicationDataLost = PCSCError(rawValue: 0x8010_002F)
  /// `SCARD_E_NO_KEY_CONTAINER`: the card has no such key container.
  public static let noKeyContainer = PCSCError(rawValue: 0x8010_0030)
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
  /// `SCARD_W_WRONG_CHV`: a wrong PIN was presented.
  public static let wrongCHV = PCSCError(rawValue: 0x8010_006B)
  /// `SCARD_W_CHV_BLOCKED`: the PIN is blocked.
  public static let chvBlocked = PCSCError(rawValue: 0x8010_006C)
  /// `SCARD_W_EOF`: the card's file ends here.
  public static let endOfFile = PCSCError(rawValue: 0x8010_006D)
  /// `SCARD_W_CANCELLED_BY_USER`: the user chose to cancel.
  public static let cancelledByUser = PCSCError(rawValue: 0x8010_006E)
  /// `SCARD_W_CARD_NOT_AUTHENTICATED`: no PIN was presented.
  public static let cardNotAuthenticated = PCSCError(rawValue: 0x8010_006F)
}
