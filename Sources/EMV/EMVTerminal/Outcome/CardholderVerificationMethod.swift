/// How the cardholder is verified: the CVM of an outcome (EMV Contactless Book A, outcome parameter set).
public enum CardholderVerificationMethod: String, CaseIterable, Sendable {
  /// The payment ended before a verification.
  case notApplicable = "not applicable"
  /// No verification.
  case none = "no CVM"
  /// A PIN that the host checks. The caller asks the cardholder for it and sends it; this engine has no PIN pad.
  case onlinePIN = "online PIN"
  /// The cardholder's device verified its holder (CDCVM). Book A calls it "confirmation code verified".
  case consumerDevice = "CDCVM"
  /// A signature on the receipt.
  case signature = "signature"

  /// Tag 9F34 for the host: method, condition, result (EMV 4.4 Book 4, annex A4). Book C-3 does not define the value;
  /// a CDCVM is written as kernel 2 writes it, `010002`.
  public var results: [UInt8] {
    switch self {
    case .notApplicable, .none: [0x1F, 0x00, 0x02]
    case .onlinePIN: [0x02, 0x00, 0x00]
    case .consumerDevice: [0x01, 0x00, 0x02]
    case .signature: [0x1E, 0x00, 0x00]
    }
  }
}
