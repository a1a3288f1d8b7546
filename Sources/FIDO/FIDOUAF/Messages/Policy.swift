public import Documents
public import JSON

/// Which authenticators a server accepts (FIDO UAF Protocol Specification 1.1, section 3.1.12).
public struct Policy: MessageValue, Hashable {
  /// Alternatives in the server's order of preference. All criteria of an alternative must be met together.
  public var accepted: [[MatchCriteria]]
  /// Authenticators that match any of these are not used.
  public var disallowed: [MatchCriteria]

  /// Creates a policy.
  public init(accepted: [[MatchCriteria]], disallowed: [MatchCriteria] = []) {
    (self.accepted, self.disallowed) = (accepted, disallowed)
  }

  /// Reads a policy.
  public init(_ json: JSONValue, at path: String) throws(DocumentError) {
    let reader = try StrictReader(json, at: path)
    accepted = try reader.list("accepted") { (json, path) throws(DocumentError) in
      let criteria = try StrictReader.list(json, at: path, MatchCriteria.init)
      guard !criteria.isEmpty else { throw DocumentError(path, at: json.position, "must not be empty") }
      return criteria
    }
    guard !accepted.isEmpty else { throw reader.error("accepted", "must not be empty") }
    disallowed = try reader.optionalList("disallowed", MatchCriteria.init) ?? []
  }

  /// The policy as JSON.
  public var json: JSONValue {
    var members: [(String, JSONValue)] = [("accepted", JSONValue(accepted.map { JSONValue($0.map(\.json)) }))]
    if !disallowed.isEmpty { members.append(("disallowed", JSONValue(disallowed.map(\.json)))) }
    return JSONValue(members: members)
  }
}
