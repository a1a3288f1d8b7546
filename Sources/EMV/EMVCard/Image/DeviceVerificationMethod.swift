/// How the cardholder was verified on the device (CDCVM).
///
/// Every method permits the same payments. Only the issuer application data of Visa's format 2 name the method.
public enum DeviceVerificationMethod: String, Sendable, CaseIterable {
  /// The secret that unlocks the device.
  case passcode
  /// An enrolled finger.
  case finger
  /// An enrolled face.
  case face
}
