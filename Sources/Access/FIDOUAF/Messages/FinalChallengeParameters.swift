internal import Crypto
internal import JOSE
public import JSON

/// The binding of a response to the channel (FIDO UAF Protocol Specification 1.1, section 3.1.7). All members may be absent.
public struct ChannelBinding: Hashable, Sendable {
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
  public init(serverEndPoint: String? = nil, serverCertificate: String? = nil) {
    (self.serverEndPoint, self.serverCertificate) = (serverEndPoint, serverCertificate)
  }

  // A certificate of 16 KiB in base64url.
  private static let range = 0...22_000

  init(_ json: JSONValue, at path: String) throws(UAFMessageError) {
    let reader = try DictionaryReader(json, at: path)
    serverEndPoint = try reader.optionalText("serverEndPoint", Self.range)
    serverCertificate = try reader.optionalText("tlsServerCertificate", Self.range)
    tlsUnique = try reader.optionalText("tlsUnique", Self.range)
    channelID = try reader.optionalText("cid_pubkey", Self.range)
  }

  /// The binding as JSON.
  public var json: JSONValue {
    let members = [
      ("serverEndPoint", serverEndPoint), ("tlsServerCertificate", serverCertificate), ("tlsUnique", tlsUnique),
      ("cid_pubkey", channelID),
    ]
    return JSONValue(members: members.compactMap { name, value in value.map { (name, JSONValue($0)) } })
  }
}

/// The final challenge parameters, which bind a response to application, facet, challenge and channel (FIDO UAF Protocol
/// Specification 1.1, section 3.1.6).
public struct FinalChallengeParameters: Hashable, Sendable {
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

  /// Creates parameters.
  public init(applicationID: String, challenge: [UInt8], facetID: String, channelBinding: ChannelBinding) {
    (self.applicationID, self.challenge) = (applicationID, challenge)
    (self.facetID, self.channelBinding) = (facetID, channelBinding)
  }

  /// Reads encoded parameters.
  ///
  /// - Throws: `UAFMessageError` with the path of the member `fcParams`.
  public init(encoded: String, at path: String) throws(UAFMessageError) {
    let octets = try DictionaryReader.octets(JSONValue(encoded), 1...Self.maximumCount, at: path)
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue(parsing: octets)
    } catch {
      throw UAFMessageError(path, "is not JSON: \(error)")
    }
    let reader = try DictionaryReader(json, at: path)
    applicationID = try reader.text("appID", 1...512)
    challenge = try reader.octets("challenge", Self.challengeRange)
    facetID = try reader.text("facetID", 1...512)
    channelBinding = try reader.object("channelBinding", ChannelBinding.init)
  }

  /// The largest encoded parameters that are read, in bytes.
  static let maximumCount = 65_536

  /// The parameters as JSON in base64url, as they stand in a response.
  public var encoded: String {
    let json: JSONValue = [
      "appID": JSONValue(applicationID), "challenge": JSONValue(challenge.base64URL), "facetID": JSONValue(facetID),
      "channelBinding": channelBinding.json,
    ]
    return Array(json.compact.utf8).base64URL
  }

  /// The hash that an assertion contains: SHA-256 over the base64url text, not over the decoded JSON.
  public static func hash(ofEncoded encoded: String) -> [UInt8] { [UInt8](SHA256.hash(data: Array(encoded.utf8))) }
}
