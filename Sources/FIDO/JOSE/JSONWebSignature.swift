internal import Crypto
public import JSON

/// A signed content in compact serialization with ES256: ECDSA on P-256 with SHA-256 (RFC 7515, RFC 7518 section 3.4).
public struct JSONWebSignature: Hashable, Sendable {
  /// `alg` of every signature that this library creates or accepts.
  public static let algorithm = "ES256"

  /// The verified header.
  public let header: JOSEHeader
  /// The verified content.
  public let payload: [UInt8]

  /// Reads a signed content and verifies its signature.
  ///
  /// - Parameters:
  ///   - text: Three parts: header, payload, signature.
  ///   - key: The registered key of the signer. A key in the header is ignored.
  /// - Throws: `JOSEError`: `malformed`, `unsupported` for another algorithm, `invalidKey` for a key that must not verify,
  ///   `notAuthentic` for a wrong signature.
  public init(verifying text: String, with key: JSONWebKey) throws(JOSEError) {
    let compact = try CompactParts(text, count: 3)
    header = try JOSEHeader(part: compact.parts[0])
    guard header.algorithm == Self.algorithm else {
      throw JOSEError(.unsupported, "the signature algorithm must be \(Self.algorithm)")
    }
    try key.check(use: .signature, operation: "verify", algorithm: Self.algorithm)
    payload = try compact.octets(1)
    let input = Array(text.utf8.prefix(compact.parts[0].utf8.count + 1 + compact.parts[1].utf8.count))
    guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: compact.octets(2)),
      key.verificationKey.isValidSignature(signature, for: input)
    else { throw .forgery }
  }

  /// Signs a content.
  ///
  /// - Parameters:
  ///   - payload: The content.
  ///   - key: The private key.
  ///   - members: Members of the header besides `alg` and the identifier of the key.
  /// - Returns: The compact serialization.
  /// - Throws: `JOSEError` with code `keyUnavailable`, or `invalidKey` for a key that must not sign.
  public static func compact(
    signing payload: [UInt8], with key: some SigningKey, members: [(String, JSONValue)] = []
  ) throws(JOSEError) -> String {
    let unsigned = try UnsignedJSONWebSignature(payload, for: key.publicKey, members: members)
    return unsigned.compact(signature: try key.signature(of: unsigned.signedOctets))
  }
}

/// A content before its signature, for a key whose signature takes an asynchronous call, such as a key of a device that
/// verifies its holder first.
public struct UnsignedJSONWebSignature: Sendable {
  private let input: String

  /// Prepares a content.
  ///
  /// - Parameters:
  ///   - payload: The content.
  ///   - publicKey: The public half of the key that will sign. Its identifier is stated in the header.
  ///   - members: Members of the header besides `alg` and the identifier of the key.
  /// - Throws: `JOSEError` with code `invalidKey` for a key that must not sign.
  public init(
    _ payload: [UInt8], for publicKey: JSONWebKey, members: [(String, JSONValue)] = []
  ) throws(JOSEError) {
    try publicKey.check(use: .signature, operation: "verify", algorithm: JSONWebSignature.algorithm)
    var header: [(String, JSONValue)] = [("alg", JSONValue(JSONWebSignature.algorithm))]
    if let keyID = publicKey.keyID { header.append(("kid", JSONValue(keyID))) }
    input = Array(JSONValue(members: header + members).compact.utf8).base64URL + "." + payload.base64URL
  }

  /// The bytes that the signature covers.
  public var signedOctets: [UInt8] { Array(input.utf8) }

  /// The compact serialization with the signature.
  ///
  /// - Parameter signature: r and s, 64 bytes. Another length traps.
  public func compact(signature: [UInt8]) -> String {
    precondition(signature.count == 64, "a signature of ES256 has 64 bytes")
    return input + "." + signature.base64URL
  }
}
