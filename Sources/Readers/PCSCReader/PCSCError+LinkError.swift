public import Links

extension PCSCError {
  /// The same failure in the terms that all links share.
  ///
  /// - Parameter reader: The name of the reader that was in use; it becomes part of the sentence.
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
    case .busy: return LinkError(.busy, "\(place)\(description); close the other program, or wait for it")
    case let code: return LinkError(code, place + description)
    }
  }

  private var linkErrorCode: LinkError.Code {
    switch self {
    case .removedCard, .noSmartCard, .resetCard, .unpoweredCard: .cardRemoved
    case .unknownReader, .readerUnavailable, .noReadersAvailable, .readerUnsupported, .duplicateReader:
      .readerUnavailable
    // `communicationError`, and now and then `securityViolation`, are the client library's words for a pcscd that went
    // away in the middle of a call. It cannot tell that from one that turns the user away.
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
