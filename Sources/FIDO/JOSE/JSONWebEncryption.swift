internal import Crypto
public import JSON
internal import Octets

/// An encrypted content in compact serialization (RFC 7516): ECDH-ES on P-256, direct or with key wrapping, and AES-GCM or
/// AES-CBC with HMAC.
public struct JSONWebEncryption: Sendable {
  /// The authenticated header.
  public let header: JOSEHeader
  /// How the content encryption key was determined.
  public let keyAlgorithm: KeyAlgorithm
  /// How the content was encrypted.
  public let contentAlgorithm: ContentAlgorithm
  /// The decrypted content.
  public let plaintext: [UInt8]

  /// Reads an encrypted content and decrypts it.
  ///
  /// - Parameters:
  ///   - text: Five parts: header, encrypted key, initialization vector, ciphertext, tag.
  ///   - key: The private key of the recipient.
  /// - Throws: `JOSEError`: `malformed`, `unsupported`, `invalidKey` for an ephemeral key that is not on the curve or a key
  ///   that must not decrypt, `notAuthentic` when the key cannot be unwrapped or the tag is wrong.
  public init(decrypting text: String, with key: some AgreementKey) throws(JOSEError) {
    let compact = try CompactParts(text, count: 5)
    header = try JOSEHeader(part: compact.parts[0])
    guard let keyAlgorithm = KeyAlgorithm(rawValue: header.algorithm) else {
      throw JOSEError(.unsupported, "the key algorithm must be one of \(KeyAlgorithm.names)")
    }
    guard let contentAlgorithm = try header.json.optionalText("enc").flatMap(ContentAlgorithm.init) else {
      throw JOSEError(.unsupported, "the content algorithm must be one of \(ContentAlgorithm.names)")
    }
    try key.publicKey.check(use: .encryption, operation: "deriveKey", algorithm: keyAlgorithm.rawValue)
    guard let ephemeral = header.json["epk"] else { throw JOSEError(.malformed, "the header has no member \"epk\"") }
    let agreement = KeyAgreement(
      key: keyAlgorithm, content: contentAlgorithm,
      parties: ConcatKeyDerivation.Parties(
        producer: try header.partyInformation("apu"), recipient: try header.partyInformation("apv")))
    let secret = try key.sharedSecret(with: JSONWebKey(ephemeral))
    let contentKey = try agreement.contentKey(from: secret, unwrapping: compact.octets(1))
    let content = EncryptedContent(
      vector: try compact.octets(2), ciphertext: try compact.octets(3), tag: try compact.octets(4))
    plaintext = try contentAlgorithm.decrypt(
      content, key: contentKey, authenticated: Array(compact.parts[0].utf8))
    (self.keyAlgorithm, self.contentAlgorithm) = (keyAlgorithm, contentAlgorithm)
  }

  /// Checks that a key may be used to encrypt: its `use`, `key_ops` and `alg`.
  ///
  /// - Throws: `JOSEError` with code `invalidKey`.
  public static func checkRecipient(_ key: JSONWebKey, _ keyAlgorithm: KeyAlgorithm) throws(JOSEError) {
    try key.check(use: .encryption, operation: "deriveKey", algorithm: keyAlgorithm.rawValue)
  }

  /// Encrypts a content for one recipient, with a fresh ephemeral key and a fresh initialization vector.
  ///
  /// - Parameters:
  ///   - plaintext: The content.
  ///   - recipient: The public key of the recipient.
  ///   - keyAlgorithm: How the content encryption key is determined.
  ///   - contentAlgorithm: How the content is encrypted.
  ///   - members: Members of the header besides `alg`, `enc`, `kid` and `epk`.
  /// - Returns: The compact serialization.
  /// - Throws: `JOSEError` with code `invalidKey` for a key that must not encrypt.
  public static func compact(
    encrypting plaintext: [UInt8], for recipient: JSONWebKey, _ keyAlgorithm: KeyAlgorithm,
    _ contentAlgorithm: ContentAlgorithm, members: [(String, JSONValue)] = []
  ) throws(JOSEError) -> String {
    try checkRecipient(recipient, keyAlgorithm)
    let ephemeral = try SoftwareKey()
    let agreement = KeyAgreement(
      key: keyAlgorithm, content: contentAlgorithm, parties: ConcatKeyDerivation.Parties())
    let secret = try ephemeral.sharedSecret(with: recipient)
    let (contentKey, wrapped) = try agreement.newContentKey(from: secret)
    var header: [(String, JSONValue)] = [
      ("alg", JSONValue(keyAlgorithm.rawValue)), ("enc", JSONValue(contentAlgorithm.rawValue)),
    ]
    if let keyID = recipient.keyID { header.append(("kid", JSONValue(keyID))) }
    header.append(("epk", ephemeral.publicKey.json))
    let encodedHeader = Array(JSONValue(members: header + members).compact.utf8).base64URL
    let vector = SystemRandomSource().octets(contentAlgorithm.vectorCount)
    let content = try contentAlgorithm.encrypt(
      plaintext, key: contentKey, vector: vector, authenticated: Array(encodedHeader.utf8))
    let parts = [wrapped, content.vector, content.ciphertext, content.tag].map(\.base64URL)
    return ([encodedHeader] + parts).joined(separator: ".")
  }
}

extension JOSEHeader {
  /// `apu` or `apv` (RFC 7518 section 4.6.1), decoded; empty when it is absent.
  fileprivate func partyInformation(_ name: String) throws(JOSEError) -> [UInt8] {
    guard let text = try json.optionalText(name) else { return [] }
    return try [UInt8](base64URL: text)
  }
}

extension CaseIterable where Self: RawRepresentable<String> {
  /// All values, for error messages.
  fileprivate static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
