public import EMVData

/// Which cryptogram kernel 2 asks for (EMV 4.4 Book 3, 10.7), in a terminal that always has a host and no offline data
/// authentication: it never asks for an offline approval.
public enum TerminalActionAnalysis {
  /// Decides.
  ///
  /// - Parameters:
  ///   - results: Tag 95.
  ///   - terminal: The terminal's action codes.
  ///   - issuerDenial: Tag 9F0E; none when the card gave none (table 10.7: all bits zero).
  /// - Returns: `.aac` when any denied bit is set, else `.arqc`.
  public static func decide(
    _ results: TerminalVerificationResults, terminal: TerminalActionCodes, issuerDenial: TerminalVerificationResults?
  ) -> CryptogramType {
    let denial = TerminalVerificationResults(rawValue: terminal.denial.rawValue | (issuerDenial?.rawValue ?? 0))
    return results.rawValue & denial.rawValue != 0 ? .aac : .arqc
  }
}
