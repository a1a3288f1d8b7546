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
    case .busy: return LinkError(.busy, "\(place)\(description); close the other program, or wait for it")
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
