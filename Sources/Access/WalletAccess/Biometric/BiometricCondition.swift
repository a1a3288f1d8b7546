public import DeviceAuthentication

/// A condition of biometric login that is not met. Each is checked at the registration, in this order, and before each use
/// except for the last two, which the issuer checks then.
public enum BiometricCondition: Error, Equatable, Sendable {
  /// The device has no sensor, or none that works.
  case noHardware(reason: String)
  /// This process is observed or was tampered with. The check is made here also where it is switched off elsewhere.
  case tampered([IntegrityFinding])
  /// No finger or face is enrolled on the device.
  case notEnrolled
  /// The issuer does not allow biometric login.
  case notAllowed
  /// The issuer has no login by PIN, which the registration begins with.
  case noPINLogin

  /// The name of the condition for programs.
  public var code: String { words.code }
}

extension BiometricCondition: CustomStringConvertible {
  /// A sentence that states what to do.
  public var description: String { words.sentence }

  private var words: (code: String, sentence: String) {
    switch self {
    case .noHardware(let reason):
      ("BiometricHardware", "the device cannot recognise its holder: \(reason); log in by PIN")
    case .tampered(let findings): ("DeviceProtection", findings.map(\.description).joined(separator: "; "))
    case .notEnrolled: ("BiometricNotEnrolled", "no finger or face is enrolled on the device; enrol one first")
    case .notAllowed: ("BiometricNotAllowed", "the issuer does not allow biometric login; log in by PIN")
    case .noPINLogin:
      ("NoPinLogin", "the issuer has no login by PIN, which biometric login needs; log in by password")
    }
  }
}
