public import EMVData

/// The cryptogram that kernel 2 asks for (EMV 4.4 Book 3, 10.7), in a terminal that always has a host and has no
/// offline data authentication: it never asks for an offline approval.
public enum TerminalActionAnalysis {
  /// Decides which cryptogram to ask for.
  ///
  /// - Parameters:
  ///   - results: Tag 95.
  ///   - terminal: The terminal's action codes.
  ///   - issuerDenial: Tag 9F0E, or nil when the card gave none: no bit denies then.
  /// - Returns: `.aac` when a bit that denies the payment is set, else `.arqc`.
  public static func decide(
    _ results: TerminalVerificationResults, terminal: TerminalActionCodes, issuerDenial: TerminalVerificationResults?
  ) -> CryptogramType {
    let denial = TerminalVerificationResults(rawValue: terminal.denial.rawValue | (issuerDenial?.rawValue ?? 0))
    return results.rawValue & denial.rawValue != 0 ? .aac : .arqc
  }
}
