public import Documents
internal import JOSE

/// An assertion of an authenticator in a response (FIDO UAF Protocol Specification 1.1, sections 3.4.3 and 3.5.4).
public struct EncodedAssertion: JSONMessage, Hashable {
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

  /// The members of the object.
  public static let fields = MessageTable(
    { Self($1, scheme: $0, extensions: $2) },
    .text("assertionScheme", \.scheme, 1...32),
    .octets("assertion", \.octets, range),
    .filledList("exts", \.extensions))
}

/// The response to a registration or an authentication request (FIDO UAF Protocol Specification 1.1, sections 3.4.4 and
/// 3.5.5). Both have the same form.
public struct UAFResponse: JSONMessage, Hashable {
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

  /// The members of the object, without the list around it.
  public static let fields = MessageTable(
    Self.init(header:finalChallengeParameters:assertions:),
    .value("header", \.header),
    .text("fcParams", \.finalChallengeParameters, 1...FinalChallengeParameters.maximumCount),
    .list("assertions", \.assertions))
}
