public import JSON

/// One criterion of a policy (FIDO UAF Protocol Specification 1.1, section 3.1.11). Absent fields match everything.
public struct MatchCriteria: Hashable, Sendable {
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

  /// Creates a criterion that matches every authenticator.
  public init() {}

  /// Creates a criterion for one model, and for one of its keys when an identifier is given.
  public init(aaid: AAID, keyIDs: [KeyID]? = nil) {
    aaids = [aaid]
    self.keyIDs = keyIDs
  }
}

extension MatchCriteria {
  init(_ json: JSONValue, at path: String) throws(UAFMessageError) {
    let reader = try DictionaryReader(json, at: path)
    aaids = try reader.optionalList("aaid", AAID.init)
    vendorIDs = try reader.optionalList("vendorID") { (json, path) throws(UAFMessageError) in
      try DictionaryReader.text(json, 4...4, at: path)
    }
    keyIDs = try reader.optionalList("keyIDs", KeyID.init)
    userVerification = try reader.bits("userVerification")
    keyProtection = try reader.bits("keyProtection")
    matcherProtection = try reader.bits("matcherProtection")
    attachmentHint = try reader.bits("attachmentHint")
    transactionDisplay = try reader.bits("tcDisplay")
    authenticationAlgorithms = try reader.numbers("authenticationAlgorithms")
    assertionSchemes = try reader.optionalList("assertionSchemes") { (json, path) throws(UAFMessageError) in
      try DictionaryReader.text(json, 1...32, at: path)
    }
    attestationTypes = try reader.numbers("attestationTypes")
    authenticatorVersion = try reader.bits("authenticatorVersion")
    extensions = try reader.optionalList("exts", UAFExtension.init) ?? []
  }

  /// The criterion as JSON.
  public var json: JSONValue {
    var members: [(String, JSONValue)] = []
    func add(_ name: String, _ value: JSONValue?) {
      if let value { members.append((name, value)) }
    }
    add("aaid", aaids.map { JSONValue($0.map(\.json)) })
    add("vendorID", vendorIDs.map { JSONValue($0.map { JSONValue($0) }) })
    add("keyIDs", keyIDs.map { JSONValue($0.map(\.json)) })
    add("userVerification", userVerification.map { JSONValue(Int($0)) })
    add("keyProtection", keyProtection.map { JSONValue(Int($0)) })
    add("matcherProtection", matcherProtection.map { JSONValue(Int($0)) })
    add("attachmentHint", attachmentHint.map { JSONValue(Int($0)) })
    add("tcDisplay", transactionDisplay.map { JSONValue(Int($0)) })
    add("authenticationAlgorithms", authenticationAlgorithms.map { JSONValue($0.map { JSONValue(Int($0)) }) })
    add("assertionSchemes", assertionSchemes.map { JSONValue($0.map { JSONValue($0) }) })
    add("attestationTypes", attestationTypes.map { JSONValue($0.map { JSONValue(Int($0)) }) })
    add("authenticatorVersion", authenticatorVersion.map { JSONValue(Int($0)) })
    add("exts", extensions.isEmpty ? JSONValue?.none : JSONValue(extensions.map(\.json)))
    return JSONValue(members: members)
  }
}

extension DictionaryReader {
  /// An optional number of the full width of its type.
  fileprivate func bits<Number: FixedWidthInteger & UnsignedInteger>(
    _ name: String
  ) throws(UAFMessageError) -> Number? {
    try optionalNumber(name, 0...Int(Number.max)).map { Number($0) }
  }

  fileprivate func numbers(_ name: String) throws(UAFMessageError) -> [UInt16]? {
    try optionalList(name) { (json, path) throws(UAFMessageError) in
      UInt16(try DictionaryReader.number(json, 0...Int(UInt16.max), at: path))
    }
  }
}
