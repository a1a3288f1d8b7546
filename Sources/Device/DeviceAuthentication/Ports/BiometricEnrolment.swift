/// The present enrolment of fingers or faces on a device.
public struct BiometricEnrolment: Codable, Equatable, Sendable {
  /// Whether biometrics can be used.
  public enum State: Codable, Equatable, Sendable {
    /// At least one finger or face is enrolled.
    case enrolled
    /// The sensor works and nothing is enrolled.
    case notEnrolled
    /// This device has no sensor, or none that works.
    case unavailable(reason: String)
  }

  /// The longest digest in bytes.
  package static let maximumDigestCount = 32

  /// What the sensor recognises.
  public let kind: BiometricKind
  /// Whether biometrics can be used.
  public let state: State
  /// A digest of the enrolled set, 0...32 bytes: equal for equal sets, and another one after each change. Empty when
  /// nothing is enrolled or the device reports none.
  public let digest: [UInt8]

  private init(_ kind: BiometricKind, _ state: State, digest: [UInt8]) {
    self.kind = kind
    self.state = state
    self.digest = digest
  }

  /// At least one is enrolled. A digest of more than 32 bytes is cut there.
  public static func enrolled(_ kind: BiometricKind = .finger, digest: [UInt8] = []) -> BiometricEnrolment {
    BiometricEnrolment(kind, .enrolled, digest: Array(digest.prefix(maximumDigestCount)))
  }

  /// The sensor works and nothing is enrolled.
  public static func notEnrolled(_ kind: BiometricKind = .finger) -> BiometricEnrolment {
    BiometricEnrolment(kind, .notEnrolled, digest: [])
  }

  /// This device has no sensor, or none that works.
  public static func unavailable(_ kind: BiometricKind = .finger, reason: String) -> BiometricEnrolment {
    BiometricEnrolment(kind, .unavailable(reason: reason), digest: [])
  }
}

/// What a biometric sensor recognises.
public enum BiometricKind: String, Codable, Sendable, CaseIterable {
  /// A fingerprint.
  case finger
  /// A face.
  case face
}
