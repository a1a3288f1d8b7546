public import JSON
internal import Octets

extension JSONWebKey {
  /// Reads a key. A private part is ignored.
  ///
  /// - Throws: `JOSEError`: `malformed` for a member of the wrong form, `unsupported` for another type or curve,
  ///   `invalidKey` for coordinates of the wrong size or off the curve.
  public init(_ json: JSONValue) throws(JOSEError) {
    guard json.members != nil else { throw JOSEError(.malformed, "a key is an object of JSON, not \(json.kind)") }
    guard json["kty"]?.text == "EC", json["crv"]?.text == "P-256" else {
      throw JOSEError(.unsupported, "a key must have \"kty\" EC and \"crv\" P-256")
    }
    let keyID = try json.optionalText("kid")
    guard (keyID?.utf8.count ?? 0) <= Self.maximumKeyIDCount else {
      throw JOSEError(.malformed, "the \"kid\" of a key has more than \(Self.maximumKeyIDCount) bytes")
    }
    let x = try Self.coordinate("x", of: json)
    let y = try Self.coordinate("y", of: json)
    let use = try json.optionalText("use").map { (text) throws(JOSEError) in
      guard let use = Use(rawValue: text) else { throw JOSEError(.unsupported, "a key with an unknown \"use\"") }
      return use
    }
    try self.init(
      x963: [0x04] + x + y, keyID: keyID, use: use, operations: Self.operations(of: json),
      algorithm: json.optionalText("alg"))
  }

  /// The key as JSON with the members `kty`, `crv`, `x`, `y`, and `kid`, `use`, `alg` where they are set.
  public var json: JSONValue {
    var members: [(String, JSONValue)] = [
      ("kty", "EC"), ("crv", "P-256"), ("x", JSONValue(x.base64URL)), ("y", JSONValue(y.base64URL)),
    ]
    if let keyID { members.append(("kid", JSONValue(keyID))) }
    if let use { members.append(("use", JSONValue(use.rawValue))) }
    if let algorithm { members.append(("alg", JSONValue(algorithm))) }
    return JSONValue(members: members)
  }

  /// The largest `kid` that is read, in bytes of UTF-8.
  static let maximumKeyIDCount = 128

  static func coordinate(_ name: String, of json: JSONValue) throws(JOSEError) -> [UInt8] {
    guard let text = json[name]?.text else {
      throw JOSEError(.malformed, "the member \"\(name)\" of a key must be text")
    }
    let octets = try [UInt8](base64URL: text)
    // RFC 7518 section 6.2.1.2: the full size of a coordinate, leading zeros included.
    guard octets.count == coordinateCount else {
      throw JOSEError(
        .invalidKey, "the member \"\(name)\" of a key has \(octets.count.bytes): \(coordinateCount) are required")
    }
    return octets
  }

  private static func operations(of json: JSONValue) throws(JOSEError) -> Set<String>? {
    guard let member = json["key_ops"] else { return nil }
    guard let list = member.list else { throw JOSEError(.malformed, "the member \"key_ops\" of a key must be a list") }
    var operations: Set<String> = []
    for value in list {
      guard let operation = value.text else { throw JOSEError(.malformed, "an operation of a key must be text") }
      operations.insert(operation)
    }
    return operations
  }
}

extension JSONValue {
  /// The text of a member, or nil when the object does not have it.
  func optionalText(_ name: String) throws(JOSEError) -> String? {
    guard let member = self[name] else { return nil }
    guard let text = member.text else { throw JOSEError(.malformed, "the member \"\(name)\" must be text") }
    return text
  }
}
