/// A part of a payment, such as READ RECORD. Entry Point and the commands that several kernels send are named here; a
/// kernel that sends a command of its own adds the phase in an extension.
public struct TransactionPhase: RawRepresentable, Hashable, Sendable {
  /// The name that recordings, scenarios and reports use, such as `SELECT PPSE`.
  public let rawValue: String

  /// Creates a phase.
  public init(rawValue: String) { self.rawValue = rawValue }
}

extension TransactionPhase {
  /// Entry Point pre-processing, before the field is on (Book B v2.11, 3.1).
  public static let preprocessing = TransactionPhase(rawValue: "pre-processing")
  /// SELECT of the proximity payment system environment (Book B, 3.3.2).
  public static let selectDirectory = TransactionPhase(rawValue: "SELECT PPSE")
  /// SELECT of an application (Book B, 3.3.3).
  public static let selectApplication = TransactionPhase(rawValue: "SELECT AID")
  /// GET PROCESSING OPTIONS (EMV 4.4 Book 3, 6.5.8).
  public static let processingOptions = TransactionPhase(rawValue: "GET PROCESSING OPTIONS")
  /// READ RECORD (EMV 4.4 Book 3, 6.5.11).
  public static let readRecords = TransactionPhase(rawValue: "READ RECORD")
  /// The kernel's decision about the card's data.
  public static let decision = TransactionPhase(rawValue: "decision")
  /// Between two taps of the same payment.
  public static let restart = TransactionPhase(rawValue: "restart")
  /// The host's response.
  public static let authorization = TransactionPhase(rawValue: "authorization")
}
