public import AccessMessages
internal import Documents
internal import FIDOUAF
internal import JOSE
internal import JSON

/// Where an out-of-band operation is redeemed, read from a QR code, a link or a push message.
public struct RedeemableOperation: Hashable, Sendable {
  /// The token and where it is redeemed.
  public let data: OutOfBandPayload.RedeemData
  /// Whether the message was encrypted for this device.
  public let wasEncrypted: Bool
}

/// Reads an out-of-band payload.
public struct OutOfBandPayloadDecode: Sendable {
  private let json: String?
  private let base64URL: String?

  /// Creates a decoding of exactly one of the two forms.
  ///
  /// - Parameters:
  ///   - json: The payload of a push message.
  ///   - base64URL: The text of a QR code, or a link with the parameter `dispatchTokenResponse`.
  public init(json: String? = nil, base64URL: String? = nil) { (self.json, self.base64URL) = (json, base64URL) }

  /// Reads the payload, decrypts it where needed, and checks where the token is redeemed.
  ///
  /// - Throws: `OperationError`.
  public func execute(on client: MobileAuthenticationClient) async throws(OperationError) -> RedeemableOperation {
    try await client.checkDevice()
    return try await client.decode(try payload())
  }

  private func payload() throws(OperationError) -> OutOfBandPayload {
    do throws(DocumentError) {
      switch (json, base64URL) {
      case (let json?, nil):
        guard json.utf8.count <= OutOfBandPayload.maximumCount, let value = try? JSONValue(parsing: json) else {
          throw DocumentError("$", "is not JSON of at most \(OutOfBandPayload.maximumCount) bytes")
        }
        return try OutOfBandPayload(value)
      case (nil, let text?): return try OutOfBandPayload(base64URL: Self.parameter(of: text))
      default: break
      }
    } catch {
      throw .malformedPayload("\(error)")
    }
    throw .invalidArgument("exactly one of JSON and base64url must be given")
  }

  /// The payload in a link; another text itself.
  private static func parameter(of text: String) -> String {
    guard let query = text.firstIndex(of: "?") else { return text }
    let parameters = text[text.index(after: query)...].prefix { $0 != "#" }.split(separator: "&")
    let name = OutOfBandPayload.linkParameter + "="
    return parameters.first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) } ?? text
  }
}

extension MobileAuthenticationClient {
  /// Decrypts a payload where needed, and checks where the token is redeemed.
  func decode(_ payload: OutOfBandPayload) async throws(OperationError) -> RedeemableOperation {
    switch payload.content {
    case .plain(let data): return RedeemableOperation(data: try await checked(data), wasEncrypted: false)
    case .encrypted(let text):
      let (octets, servers) = try await decrypted(text)
      guard let json = try? JSONValue(parsing: octets) else {
        throw .malformedPayload("the decrypted content is not JSON")
      }
      let data: OutOfBandPayload.RedeemData
      do throws(DocumentError) {
        data = try OutOfBandPayload.RedeemData(json)
      } catch {
        throw .malformedPayload("\(error)")
      }
      let redeemable = RedeemableOperation(data: try await checked(data), wasEncrypted: true)
      // A message for the identity at one server is from that one.
      guard let origin = WebOrigin(url: data.redeemURL)?.text, servers.contains(origin) else {
        throw .malformedPayload("redeem_url names another server than the one that encrypted the message")
      }
      return redeemable
    }
  }

  /// Decrypts a message for one of the identities of this device.
  ///
  /// - Returns: The content, and the servers that know the identity.
  private func decrypted(_ text: String) async throws(OperationError) -> (octets: [UInt8], servers: [String]) {
    var failure = OperationError.decryption
    let identities = try await presentRecords().identities
    for identity in identities {
      do throws(OperationError) {
        let octets = try await decrypted(text, by: identity)
        return (octets, identities.filter { $0.encryptionKey == identity.encryptionKey }.map(\.server))
      } catch {
        if error != .decryption { failure = error }
      }
    }
    throw failure
  }

  /// Decrypts a message for one identity of this device.
  func decrypted(_ text: String, by device: DeviceRecord) async throws(OperationError) -> [UInt8] {
    let key = try await converting({ $0 == .identityLost ? $0 : OperationError.decryption }) {
      () async throws(OperationError) in
      try await observingLoss(at: device.server) { () async throws(OperationError) in
        try await signer.encryptionKey(of: device)
      }
    }
    do throws(JOSEError) {
      return try JSONWebEncryption(decrypting: text, with: key).plaintext
    } catch {
      guard error.code == .malformed || error.code == .unsupported else { throw .decryption }
      throw .malformedPayload("\(error)")
    }
  }

  // A plain message can be forged: without this check it would send the person to a foreign server.
  private func checked(
    _ data: OutOfBandPayload.RedeemData
  ) async throws(OperationError) -> OutOfBandPayload.RedeemData {
    guard let origin = WebOrigin(url: data.redeemURL), origin.scheme == "https" else {
      throw .malformedPayload("redeem_url must be an https URL")
    }
    let records = try await presentRecords()
    let known = configuration.servers + records.accounts.map(\.account.server)
    guard known.contains(where: { WebOrigin(url: $0) == origin }) else {
      throw .malformedPayload("redeem_url names \(origin.host), which is not a server of this application")
    }
    return data
  }
}
