/// How the cardholder is verified: the CVM of an outcome (EMV Contactless Book A).
public enum VerificationMethod: String, CaseIterable, Sendable {
  /// There was no payment to verify.
  case notApplicable = "not applicable"
  /// No verification.
  case none = "no CVM"
  /// A PIN that goes to the host. The caller asks for it and sends it; this engine has no PIN pad.
  case onlinePIN = "online PIN"
  /// The device verified its holder: confirmation code verified, CDCVM.
  case consumerDevice = "CDCVM"
  /// A signature on the receipt.
  case signature = "signature"

  /// Tag 9F34 for the host: method, condition, result (EMV 4.4 Book 4, annex A4). Book C-3 leaves it open; a CDCVM is
  /// written as the other kernels write it, `010002`.
  public var results: [UInt8] {
    switch self {
    case .notApplicable, .none: [0x1F, 0x00, 0x02]
    case .onlinePIN: [0x02, 0x00, 0x00]
    case .consumerDevice: [0x01, 0x00, 0x02]
    case .signature: [0x1E, 0x00, 0x00]
    }
  }
}
