/// The parts of a payment, in order.
public enum TransactionPhase: String, CaseIterable, Sendable {
  /// Entry Point pre-processing, before the field is on (Book B v2.11, 3.1).
  case preprocessing = "pre-processing"
  /// SELECT of the proximity payment system environment (Book B, 3.3.2).
  case selectDirectory = "SELECT PPSE"
  /// SELECT of an application (Book B, 3.3.3).
  case selectApplication = "SELECT AID"
  /// GET PROCESSING OPTIONS (Book C-3 v2.11, 5.2).
  case processingOptions = "GET PROCESSING OPTIONS"
  /// EXCHANGE RELAY RESISTANCE DATA, kernel 2.
  case relayResistance = "EXCHANGE RELAY RESISTANCE DATA"
  /// READ RECORD (Book C-3, 5.3).
  case readRecords = "READ RECORD"
  /// GENERATE AC, kernel 2 in EMV mode (EMV 4.4 Book 3, 6.5.5).
  case generateCryptogram = "GENERATE AC"
  /// COMPUTE CRYPTOGRAPHIC CHECKSUM, kernel 2 in mag-stripe mode.
  case computeChecksum = "COMPUTE CRYPTOGRAPHIC CHECKSUM"
  /// What the kernel makes of the data (Book C-3, 5.4 to 5.7).
  case decision = "decision"
  /// Between two taps of the same payment.
  case restart = "restart"
  /// The host's answer.
  case authorization = "authorization"
}
