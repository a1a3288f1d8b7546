internal import Crypto
public import Documents
internal import JOSE
internal import JSON

/// The binding of a response to the channel (FIDO UAF Protocol Specification 1.1, section 3.1.7). All members may be absent.
public struct ChannelBinding: JSONMessage, Hashable {
  /// The hash of the server's certificate, in base64url, or nil.
  public var serverEndPoint: String?
  /// The server's certificate in DER, in base64url, or nil.
  public var serverCertificate: String?
  /// The first Finished message of the TLS handshake, in base64url, or nil. Version 1.1 deprecates it. The client does not
  /// send it: TLS 1.3 does not have it (RFC 8446, appendix C.5), and swift-nio-ssl does not return it for TLS 1.2.
  public var tlsUnique: String?
  /// The public key of a TLS channel identifier, or nil. The client does not send it: the draft of the extension has
  /// expired, and swift-nio-ssl does not implement it.
  public var channelID: String?

  /// Creates a binding.
  public init(
    serverEndPoint: String? = nil, serverCertificate: String? = nil, tlsUnique: String? = nil, channelID: String? = nil
  ) {
    (self.serverEndPoint, self.serverCertificate) = (serverEndPoint, serverCertificate)
    (self.tlsUnique, self.channelID) = (tlsUnique, channelID)
  }

  // A certificate of 16 KiB in base64url.
  private static let range = 0...22_000

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(serverEndPoint:serverCertificate:tlsUnique:channelID:),
    .text("serverEndPoint", \.serverEndPoint, range),
    .text("tlsServerCertificate", \.serverCertificate, range),
    .text("tlsUnique", \.tlsUnique, range),
    .text("cid_pubkey", \.channelID, range))
}

/// The final challenge parameters, which bind a response to application, facet, challenge and channel (FIDO UAF Protocol
/// Specification 1.1, section 3.1.6).
public struct FinalChallengeParameters: JSONMessage, Hashable {
  /// The sizes of a challenge, in bytes.
  public static let challengeRange = 8...64
  /// The application identifier, 1 to 512 characters.
  public let applicationID: String
  /// The challenge of the server, 8 to 64 bytes.
  public let challenge: [UInt8]
  /// The facet identifier of the client, 1 to 512 characters.
  public let facetID: String
  /// The binding to the channel.
  public let channelBinding: ChannelBinding

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(applicationID:challenge:facetID:channelBinding:),
    .text("appID", \.applicationID, 1...512),
    .octets("challenge", \.challenge, challengeRange),
    .text("facetID", \.facetID, 1...512),
    .value("channelBinding", \.channelBinding))

  /// Creates parameters.
  public init(applicationID: String, challenge: [UInt8], facetID: String, channelBinding: ChannelBinding) {
    (self.applicationID, self.challenge) = (applicationID, challenge)
    (self.facetID, self.channelBinding) = (facetID, channelBinding)
  }

  /// Reads encoded parameters.
  ///
  /// - Throws: `DocumentError` with the path of the member `fcParams`.
  public init(encoded: String, at path: String) throws(DocumentError) {
    let octets = try StrictReader.octets(JSONValue(encoded), 1...Self.maximumCount, at: path)
    try self.init(JSONValue(message: octets, at: path), at: path)
  }

  /// The largest encoded parameters that are read, in bytes.
  static let maximumCount = 65_536

  /// The parameters as JSON in base64url, as they stand in a response.
  public var encoded: String { Array(json.compact.utf8).base64URL }

  /// The hash that an assertion contains: SHA-256 over the base64url text, not over the decoded JSON.
  public static func hash(ofEncoded encoded: String) -> [UInt8] { [UInt8](SHA256.hash(data: Array(encoded.utf8))) }
}
