/// Methods of user verification (FIDO Registry of Predefined Values 1.1, section 3.1).
public struct UserVerification: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt32
  /// Creates a set.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// The user is present.
  public static let presence = UserVerification(rawValue: 0x01)
  /// A fingerprint.
  public static let fingerprint = UserVerification(rawValue: 0x02)
  /// A passcode, PIN or password.
  public static let passcode = UserVerification(rawValue: 0x04)
  /// A face.
  public static let faceprint = UserVerification(rawValue: 0x10)
  /// No verification.
  public static let none = UserVerification(rawValue: 0x200)
  /// All methods of the set together, not one of them.
  public static let all = UserVerification(rawValue: 0x400)

  /// Whether this set, of an authenticator, meets the set of a criterion (FIDO UAF Protocol Specification 1.1, section
  /// 3.1.11): the sets are equal, or neither asks for all methods and they have one in common.
  func meets(_ criterion: UserVerification) -> Bool {
    self == criterion || !contains(.all) && !criterion.contains(.all) && !isDisjoint(with: criterion)
  }
}

/// Protection of a private key (FIDO Registry of Predefined Values 1.1, section 3.2).
public struct KeyProtection: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt16
  /// Creates a set.
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  /// Software.
  public static let software = KeyProtection(rawValue: 0x01)
  /// Hardware.
  public static let hardware = KeyProtection(rawValue: 0x02)
  /// A trusted execution environment.
  public static let trustedExecutionEnvironment = KeyProtection(rawValue: 0x04)
  /// A secure element.
  public static let secureElement = KeyProtection(rawValue: 0x08)
  /// A remote key handle.
  public static let remoteHandle = KeyProtection(rawValue: 0x10)
}

/// Protection of the code that compares what the user enters (FIDO Registry of Predefined Values 1.1, section 3.3).
public struct MatcherProtection: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt16
  /// Creates a set.
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  /// Software.
  public static let software = MatcherProtection(rawValue: 0x01)
  /// A trusted execution environment.
  public static let trustedExecutionEnvironment = MatcherProtection(rawValue: 0x02)
  /// The chip of the authenticator.
  public static let onChip = MatcherProtection(rawValue: 0x04)
}

/// Attachment of an authenticator (FIDO Registry of Predefined Values 1.1, section 3.4).
public struct AttachmentHint: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt32
  /// Creates a set.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Part of the device.
  public static let `internal` = AttachmentHint(rawValue: 0x01)
  /// Outside the device.
  public static let external = AttachmentHint(rawValue: 0x02)
}

/// Display for transaction confirmation (FIDO Registry of Predefined Values 1.1, section 3.5).
public struct TransactionDisplay: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt16
  /// Creates a set.
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  /// Any display.
  public static let any = TransactionDisplay(rawValue: 0x01)
  /// A display of privileged software.
  public static let privilegedSoftware = TransactionDisplay(rawValue: 0x02)
  /// A display of a trusted execution environment.
  public static let trustedExecutionEnvironment = TransactionDisplay(rawValue: 0x04)
  /// A display of hardware.
  public static let hardware = TransactionDisplay(rawValue: 0x08)
  /// A display at another device.
  public static let remote = TransactionDisplay(rawValue: 0x10)
}
