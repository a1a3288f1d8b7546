public import Documents

/// One criterion of a policy (FIDO UAF Protocol Specification 1.1, section 3.1.11). Absent fields match everything.
public struct MatchCriteria: JSONMessage, Hashable {
  /// Identifiers of which one must match.
  public var aaids: [AAID]?
  /// Vendors of which one must match.
  public var vendorIDs: [String]?
  /// Key identifiers of which one must be registered.
  public var keyIDs: [KeyID]?
  /// Methods of user verification, a bit set with its own rule of matching.
  public var userVerification: UInt32?
  /// Protection of the key, a bit set of which one bit must match.
  public var keyProtection: UInt16?
  /// Protection of the matcher, a bit set of which one bit must match.
  public var matcherProtection: UInt16?
  /// Attachment of the authenticator, a bit set of which one bit must match.
  public var attachmentHint: UInt32?
  /// Display for transaction confirmation, a bit set of which one bit must match.
  public var transactionDisplay: UInt16?
  /// Signature algorithms of which one must match.
  public var authenticationAlgorithms: [UInt16]?
  /// Assertion schemes of which one must match.
  public var assertionSchemes: [String]?
  /// Attestation types of which one must match, in the order of preference.
  public var attestationTypes: [UInt16]?
  /// The lowest accepted version of the authenticator.
  public var authenticatorVersion: UInt16?
  /// The extensions.
  public var extensions: [UAFExtension] = []

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(
      aaids:vendorIDs:keyIDs:userVerification:keyProtection:matcherProtection:attachmentHint:transactionDisplay:
      authenticationAlgorithms:assertionSchemes:attestationTypes:authenticatorVersion:extensions:),
    .list("aaid", \.aaids),
    .texts("vendorID", \.vendorIDs, 4...4),
    .list("keyIDs", \.keyIDs),
    .number("userVerification", \.userVerification),
    .number("keyProtection", \.keyProtection),
    .number("matcherProtection", \.matcherProtection),
    .number("attachmentHint", \.attachmentHint),
    .number("tcDisplay", \.transactionDisplay),
    .numbers("authenticationAlgorithms", \.authenticationAlgorithms),
    .texts("assertionSchemes", \.assertionSchemes, 1...32),
    .numbers("attestationTypes", \.attestationTypes),
    .number("authenticatorVersion", \.authenticatorVersion),
    .filledList("exts", \.extensions))
}

extension MatchCriteria {
  /// Creates a criterion for one model, and for one of its keys when an identifier is given. Without both it matches every
  /// authenticator.
  public init(aaid: AAID? = nil, keyIDs: [KeyID]? = nil) {
    aaids = aaid.map { [$0] }
    self.keyIDs = keyIDs
  }
}
