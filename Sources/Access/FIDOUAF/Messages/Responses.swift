internal import JOSE
public import JSON

/// An assertion of an authenticator in a response (FIDO UAF Protocol Specification 1.1, sections 3.4.3 and 3.5.4).
public struct EncodedAssertion: Hashable, Sendable {
  /// The only scheme that this library implements.
  public static let scheme = "UAFV1TLV"
  /// The sizes of an assertion, in bytes.
  public static let range = 1...4_096

  /// The scheme of the assertion.
  public var scheme: String
  /// The assertion.
  public var octets: [UInt8]
  /// The extensions.
  public var extensions: [UAFExtension]

  /// Creates an assertion.
  public init(_ octets: [UInt8], scheme: String = EncodedAssertion.scheme, extensions: [UAFExtension] = []) {
    (self.octets, self.scheme, self.extensions) = (octets, scheme, extensions)
  }

  init(_ json: JSONValue, at path: String) throws(UAFMessageError) {
    let reader = try DictionaryReader(json, at: path)
    scheme = try reader.text("assertionScheme", 1...32)
    octets = try reader.octets("assertion", Self.range)
    extensions = try reader.optionalList("exts", UAFExtension.init) ?? []
  }

  /// The assertion as JSON.
  public var json: JSONValue {
    var members: [(String, JSONValue)] = [
      ("assertionScheme", JSONValue(scheme)), ("assertion", JSONValue(octets.base64URL)),
    ]
    if !extensions.isEmpty { members.append(("exts", JSONValue(extensions.map(\.json)))) }
    return JSONValue(members: members)
  }
}

/// The response to a registration or an authentication request (FIDO UAF Protocol Specification 1.1, sections 3.4.4 and
/// 3.5.5). Both have the same form.
public struct UAFResponse: Hashable, Sendable {
  /// The header of the request, with the application identifier that was used.
  public var header: OperationHeader
  /// The encoded final challenge parameters. The server hashes this text as it is.
  public var finalChallengeParameters: String
  /// The assertions. A client that failed sends none.
  public var assertions: [EncodedAssertion]

  /// Creates a response.
  public init(header: OperationHeader, finalChallengeParameters: String, assertions: [EncodedAssertion]) {
    (self.header, self.finalChallengeParameters, self.assertions) = (header, finalChallengeParameters, assertions)
  }

  init(_ reader: DictionaryReader, _ header: OperationHeader) throws(UAFMessageError) {
    self.header = header
    finalChallengeParameters = try reader.text("fcParams", 1...FinalChallengeParameters.maximumCount)
    assertions = try reader.list("assertions", EncodedAssertion.init)
  }

  /// The response as JSON, without the list around it.
  public var json: JSONValue {
    [
      "header": header.json, "fcParams": JSONValue(finalChallengeParameters),
      "assertions": JSONValue(assertions.map(\.json)),
    ]
  }
}
