public import Links

extension PCSCError {
  /// Converts the error into a `LinkError`, the error of all links.
  ///
  /// - Parameter reader: The name of the reader that was in use, for the message.
  public func linkError(reader: String? = nil) -> LinkError {
    let place = reader.map { "reader \"\($0)\": " } ?? ""
    switch linkErrorCode {
    case .serviceUnavailable:
      return LinkError(
        .serviceUnavailable,
        """
        reader service not available: \(description); start it with "systemctl start pcscd.socket" or "pcscd", or \
        install it with "apt-get install pcscd"
        """)
    case .busy: return LinkError(.busy, "\(place)\(description); \(LinkError.endOfUse)")
    case let code: return LinkError(code, place + description)
    }
  }

  private var linkErrorCode: LinkError.Code {
    switch self {
    case .removedCard, .noSmartCard, .resetCard, .unpoweredCard: .cardRemoved
    case .unknownReader, .readerUnavailable, .noReadersAvailable, .readerUnsupported, .duplicateReader:
      .readerUnavailable
    // The client library returns `communicationError`, and sometimes `securityViolation`, when pcscd ends during a
    // call. The second code also stands for a pcscd that refuses the user.
    case .noService, .serviceStopped, .communicationError, .securityViolation, .shutdown, .systemCancelled:
      .serviceUnavailable
    case .sharingViolation, .serverTooBusy: .busy
    case .timedOut, .waitedTooLong: .timedOut
    case .cancelled: .stopped
    // A response that is longer than the command allows is the card's fault: another attempt has the same end.
    case .protocolMismatch, .invalidATR, .unsupportedCard, .insufficientBuffer: .protocolViolation
    default: .transmissionFailed
    }
  }
}

extension LinkError {
  /// What helps when a reader is in use. The service cannot say whether the program that uses it has ended.
  static let endOfUse = """
    close the other program, or wait for it. Without one, the reader has not answered a command of a program that has \
    ended: unplug it and plug it in again, or restart pcscd
    """

  /// The error of a reader whose driver cannot communicate with it any more.
  static func unresponsive(_ reader: String) -> LinkError {
    LinkError(
      .readerUnavailable, "reader \"\(reader)\" does not answer its driver any more: unplug it and plug it in again")
  }
}
