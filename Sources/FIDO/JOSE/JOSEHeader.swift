public import JSON
internal import Octets

/// The protected header of a JOSE object in compact serialization (RFC 7515 section 4, RFC 7516 section 4).
///
/// A header that names a critical extension (`crit`), a compression (`zip`) or unencoded content (`b64`) is refused: this
/// library implements none of them. Keys in a header (`jwk`, `x5c`, `jku`) are never used.
public struct JOSEHeader: Hashable, Sendable {
  /// The whole header.
  public let json: JSONValue
  /// `alg`, the algorithm.
  public let algorithm: String
  /// `kid`, the identifier of the key, or nil.
  public let keyID: String?
  /// `typ`, the type of the whole object, or nil.
  public let type: String?
  /// `cty`, the type of the content, or nil.
  public let contentType: String?

  /// Reads a header.
  ///
  /// - Parameter part: The encoded header.
  /// - Throws: `JOSEError`: `malformed` or `unsupported`.
  init(part: Substring) throws(JOSEError) {
    let octets = try [UInt8](base64URL: part)
    do throws(JSONError) {
      json = try JSONValue(parsing: octets)
    } catch {
      throw JOSEError(.malformed, "the header is not JSON: \(error)")
    }
    guard json.members != nil else { throw JOSEError(.malformed, "the header is not an object but \(json.kind)") }
    for name in ["crit", "zip", "b64"] where json[name] != nil {
      throw JOSEError(.unsupported, "the header has the member \"\(name)\", which is not implemented")
    }
    guard let algorithm = try json.optionalText("alg") else {
      throw JOSEError(.malformed, "the header has no member \"alg\"")
    }
    self.algorithm = algorithm
    keyID = try json.optionalText("kid")
    type = try json.optionalText("typ")
    contentType = try json.optionalText("cty")
  }
}

/// A JOSE object in compact serialization, split into its parts (RFC 7515 section 3.1, RFC 7516 section 3.1).
struct CompactParts {
  /// The largest object that is read, in characters: 1 MiB.
  static let maximumCount = 1_048_576

  let parts: [Substring]

  init(_ text: String, count: Int) throws(JOSEError) {
    guard text.utf8.count <= Self.maximumCount else {
      throw JOSEError(.malformed, "\(text.utf8.count.counted("character")): at most \(Self.maximumCount) are read")
    }
    parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == count else {
      throw JOSEError(.malformed, "\(parts.count) parts separated by full stops: \(count) are required")
    }
  }

  /// Decodes a part.
  func octets(_ index: Int) throws(JOSEError) -> [UInt8] { try [UInt8](base64URL: parts[index]) }
}
