public import EMVData

/// The cryptogram that a kernel asks for with GENERATE AC (EMV 4.4 Book 3, 10.7).
public enum TerminalActionAnalysis {
  /// The issuer's action codes. A missing denial code denies nothing; the other ones count every bit when they are missing.
  public struct IssuerActionCodes: Hashable, Sendable {
    /// Tag 9F0E, or nil.
    public var denial: TerminalVerificationResults?
    /// Tag 9F0F, or nil.
    public var online: TerminalVerificationResults?
    /// Tag 9F0D, or nil.
    public var fallback: TerminalVerificationResults?
  }

  /// Decides which cryptogram to ask for.
  ///
  /// - Parameters:
  ///   - results: Tag 95.
  ///   - terminal: The terminal's action codes.
  ///   - issuer: Those of the card.
  ///   - terminalType: Tag 9F35: the second digit states whether the terminal has a host always (1, 4), never (3, 6) or both
  ///     ways.
  ///   - canApprove: Whether the card is authenticated with CDA. Without it no offline approval is asked for.
  /// - Returns: `.aac` when a bit that denies the payment is set; else `.arqc` or `.tc`.
  public static func decide(
    _ results: TerminalVerificationResults, terminal: TerminalActionCodes, issuer: IssuerActionCodes,
    terminalType: UInt8,
    canApprove: Bool
  ) -> CryptogramType {
    func isHit(_ code: TerminalVerificationResults, _ own: TerminalVerificationResults?, missing: UInt64) -> Bool {
      results.rawValue & (code.rawValue | (own?.rawValue ?? missing)) != 0
    }
    if isHit(terminal.denial, issuer.denial, missing: 0) { return .aac }
    switch terminalType & 0x0F {
    case 1, 4: return .arqc
    case 3, 6: return !canApprove || isHit(terminal.fallback, issuer.fallback, missing: .max) ? .aac : .tc
    default: return !canApprove || isHit(terminal.online, issuer.online, missing: .max) ? .arqc : .tc
    }
  }
}

// Bits of tag 95 that kernels set and `EMVData` does not name (EMV 4.4 Book 3, annex C5).
extension TerminalVerificationResults {
  static let onExceptionList = Self(rawValue: mask(1, 5))
  static let newCard = Self(rawValue: mask(2, 4))
  static let lowerOfflineLimit = Self(rawValue: mask(4, 7))
  static let upperOfflineLimit = Self(rawValue: mask(4, 6))
  static let selectedRandomly = Self(rawValue: mask(4, 5))
  static let versionsDiffer = Self(rawValue: mask(2, 8))
  static let notYetEffective = Self(rawValue: mask(2, 6))
  static let serviceNotAllowed = Self(rawValue: mask(2, 5))
  static let verificationNotRecognised = Self(rawValue: mask(3, 7))
  static let issuerAuthenticationFailed = Self(rawValue: mask(5, 7))
  static let scriptFailedBeforeCryptogram = Self(rawValue: mask(5, 6))
  static let scriptFailedAfterCryptogram = Self(rawValue: mask(5, 5))
}
