internal import AccessMessages
internal import FIDOUAF
internal import Octets
internal import ServerShell
internal import ServerStore

// The signature of a device names the server that it is for. Headers that a client or a proxy sends, such as Host and
// Forwarded, decide nothing here: a server that relays a request can set them.

extension ServerConfiguration {
  /// The URL that the server prints: the first of `origins`, `url`, or where it listens.
  public func printedURL(listeningAt url: String) -> String { origins.first ?? self.url ?? url }

  /// Whether signatures for this server may name an origin that it cannot derive: a proxy is in front of it, and `origins` is
  /// not set.
  public var lacksOrigins: Bool {
    origins.isEmpty && (!connections.trustedProxies.isEmpty || !checksChannelBinding)
  }
}

extension ServerEnvironment {
  /// Whether an audience is an origin of this server.
  func isOrigin(_ audience: String) -> Bool {
    if !configuration.origins.isEmpty { return configuration.origins.contains(audience) }
    if WebOrigin(url: url)?.text == audience { return true }
    guard let port = WebOrigin(url: listeningURL.text)?.port else { return false }
    return configuration.certificateHosts.contains { WebOrigin(url: "https://\($0):\(port)")?.text == audience }
  }

  /// Whether signatures of devices without an audience are accepted.
  var acceptsLegacySignatures: Bool { configuration.legacySignatures ?? !requiresAudience }

  /// Returns whether a database demands an audience of every signature: it does unless an older server has made it.
  static func requiresAudience(_ transaction: AccessTransaction, at now: Int64) throws(AccessError) -> Bool {
    let name = "audienceSince"
    if try transaction.setting(name) != nil { return true }
    // Every server that has ever used a database has set it.
    guard try transaction.setting("walletKey") == nil else { return false }
    try transaction.set(name, to: UInt64(bitPattern: now).bigEndianOctets)
    return true
  }
}

extension RequestRules {
  /// Checks that a device has signed a request for this server.
  ///
  /// - Parameter audience: The origin that the signature names; nil for that of an older client.
  /// - Throws: A refusal with code `unauthorized`.
  func checkAudience(_ audience: String?) throws(AccessError) {
    guard let audience else {
      guard !environment.acceptsLegacySignatures else { return }
      throw .refused(
        .unauthorized, "the signature of the device names no audience, which this server requires: update the client")
    }
    guard environment.isOrigin(audience) else {
      throw .refused(
        .unauthorized, "the signature of the device is for another server: connect to \(environment.url)")
    }
  }

  /// Checks that a device without a wallet has signed for the first of the configured origins. A device has an identity for each
  /// origin, and with one of a further origin it could have a second wallet of the same issuer, or use one in spite of its
  /// deactivation.
  ///
  /// - Throws: A refusal with code `unauthorized`.
  func checkFirstOrigin(_ audience: String?) throws(AccessError) {
    guard let audience, let first = configuration.origins.first, audience != first else { return }
    throw .refused(.unauthorized, "a wallet is linked at the first origin of the server: connect to \(first)")
  }
}
