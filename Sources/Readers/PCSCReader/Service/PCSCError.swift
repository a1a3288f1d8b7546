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
  package static let table: [(error: PCSCError, name: String, text: String)] = [
    (.internalError, "SCARD_F_INTERNAL_ERROR", "the reader service has an internal error"),
    (.cancelled, "SCARD_E_CANCELLED", "the wait was cancelled"),
    (.invalidHandle, "SCARD_E_INVALID_HANDLE", "the handle is unknown or closed"),
    (.invalidParameter, "SCARD_E_INVALID_PARAMETER", "a parameter has no meaning for the reader service"),
    (.invalidTarget, "SCARD_E_INVALID_TARGET", "the start-up information is missing or wrong"),
    (.noMemory, "SCARD_E_NO_MEMORY", "the reader service has no memory left"),
    (.waitedTooLong, "SCARD_F_WAITED_TOO_LONG", "an internal timer of the reader service ran out"),
    (
      .insufficientBuffer, "SCARD_E_INSUFFICIENT_BUFFER",
      "the response does not fit into the buffer; the card has executed the command"
    ),
    (.unknownReader, "SCARD_E_UNKNOWN_READER", "there is no reader of this name"),
    (.timedOut, "SCARD_E_TIMEOUT", "the time limit has passed"),
    (
      .sharingViolation, "SCARD_E_SHARING_VIOLATION",
      "another program uses the card, or this one asks for exclusive use"
    ),
    (.noSmartCard, "SCARD_E_NO_SMARTCARD", "there is no card in the reader"),
    (.unknownCard, "SCARD_E_UNKNOWN_CARD", "the card's name is not known"),
    (.cannotDispose, "SCARD_E_CANT_DISPOSE", "the card cannot be left in the state that was asked for"),
    (.protocolMismatch, "SCARD_E_PROTO_MISMATCH", "the card and the program use different protocols"),
    (.notReady, "SCARD_E_NOT_READY", "the reader or the card is not ready yet"),
    (.invalidValue, "SCARD_E_INVALID_VALUE", "a value has no meaning for the reader service"),
    (.systemCancelled, "SCARD_E_SYSTEM_CANCELLED", "the system cancelled the action"),
    (.communicationError, "SCARD_F_COMM_ERROR", "the connection to the reader service broke"),
    (.unknownError, "SCARD_F_UNKNOWN_ERROR", "the reader service failed for a reason that it does not know"),
    (.invalidATR, "SCARD_E_INVALID_ATR", "the answer to reset is not valid"),
    (.notTransacted, "SCARD_E_NOT_TRANSACTED", "the reader could not exchange the command with the card"),
    (.readerUnavailable, "SCARD_E_READER_UNAVAILABLE", "the reader is not available at the moment"),
    (.shutdown, "SCARD_P_SHUTDOWN", "the action was cancelled because the reader service ends"),
    (.pciTooSmall, "SCARD_E_PCI_TOO_SMALL", "the protocol control information is too small"),
    (.readerUnsupported, "SCARD_E_READER_UNSUPPORTED", "the reader's driver lacks what the reader service needs"),
    (.duplicateReader, "SCARD_E_DUPLICATE_READER", "two readers have the same name"),
    (.cardUnsupported, "SCARD_E_CARD_UNSUPPORTED", "the card lacks what the reader service needs"),
    (.noService, "SCARD_E_NO_SERVICE", "the reader service is not running"),
    (.serviceStopped, "SCARD_E_SERVICE_STOPPED", "the reader service has ended"),
    (.unsupportedFeature, "SCARD_E_UNSUPPORTED_FEATURE", "the reader's driver does not support this"),
    (.iccInstallation, "SCARD_E_ICC_INSTALLATION", "there is no provider for the card"),
    (.iccCreationOrder, "SCARD_E_ICC_CREATEORDER", "the order of creation is not supported"),
    (.directoryNotFound, "SCARD_E_DIR_NOT_FOUND", "the card has no such directory"),
    (.fileNotFound, "SCARD_E_FILE_NOT_FOUND", "the card has no such file"),
    (.noDirectory, "SCARD_E_NO_DIR", "the path names no directory of the card"),
    (.noFile, "SCARD_E_NO_FILE", "the path names no file of the card"),
    (.noAccess, "SCARD_E_NO_ACCESS", "the file may not be read or written"),
    (.writeTooMany, "SCARD_E_WRITE_TOO_MANY", "the card has no room for the data"),
    (.badSeek, "SCARD_E_BAD_SEEK", "the position in the card's file could not be set"),
    (.invalidCHV, "SCARD_E_INVALID_CHV", "the PIN is wrong"),
    (
      .unknownResourceManagerError, "SCARD_E_UNKNOWN_RES_MNG",
      "a layer below the reader service failed with an unknown code"
    ),
    (.noSuchCertificate, "SCARD_E_NO_SUCH_CERTIFICATE", "there is no such certificate"),
    (.certificateUnavailable, "SCARD_E_CERTIFICATE_UNAVAILABLE", "the certificate cannot be had"),
    (.noReadersAvailable, "SCARD_E_NO_READERS_AVAILABLE", "there is no reader"),
    (.communicationDataLost, "SCARD_E_COMM_DATA_LOST", "data was lost between the reader and the card"),
    (.noKeyContainer, "SCARD_E_NO_KEY_CONTAINER", "the card has no such key container"),
    (.serverTooBusy, "SCARD_E_SERVER_TOO_BUSY", "the reader service is too busy"),
    (.unsupportedCard, "SCARD_W_UNSUPPORTED_CARD", "the reader does not support a card with this answer to reset"),
    (.unresponsiveCard, "SCARD_W_UNRESPONSIVE_CARD", "the card does not answer to a reset"),
    (.unpoweredCard, "SCARD_W_UNPOWERED_CARD", "the card has no power"),
    (.resetCard, "SCARD_W_RESET_CARD", "the card was reset, so its protocol and state are lost"),
    (.removedCard, "SCARD_W_REMOVED_CARD", "the card was removed"),
    (
      .securityViolation, "SCARD_W_SECURITY_VIOLATION",
      "the reader service closed the connection: it has ended, or its polkit rules refuse this user"
    ),
    (.wrongCHV, "SCARD_W_WRONG_CHV", "a wrong PIN was presented"),
    (.chvBlocked, "SCARD_W_CHV_BLOCKED", "the PIN is blocked"),
    (.endOfFile, "SCARD_W_EOF", "the card's file ends here"),
    (.cancelledByUser, "SCARD_W_CANCELLED_BY_USER", "the user chose to cancel"),
    (.cardNotAuthenticated, "SCARD_W_CARD_NOT_AUTHENTICATED", "no PIN was presented"),
  ]
}
