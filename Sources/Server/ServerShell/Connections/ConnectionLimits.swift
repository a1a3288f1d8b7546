/// The limits of connections, and the proxies in front of the server.
public struct ConnectionLimits: Hashable, Sendable {
  /// The time for a whole request, in milliseconds. It begins with the connection or with the end of the response before
  /// it, so that it limits idle connections and the TLS handshake too.
  public var request: Int64 = 30_000
  /// The time in which a client must take a whole response, in milliseconds.
  public var response: Int64 = 30_000
  /// The most connections of one address at a time; those of an IPv6 network of 64 bits together. Further ones are closed
  /// at once. Proxies are exempt.
  public var perAddress = 100
  /// The networks of the proxies whose `Forwarded` or `X-Forwarded-For` names the address of a client.
  public var trustedProxies: [AddressNetwork] = []

  /// The default limits: no proxy.
  public init() {}

  /// Returns whether an address in text form is that of a trusted proxy.
  func trusts(_ address: String) -> Bool {
    guard let address = NetworkAddress(address) else { return false }
    return trustedProxies.contains { $0.contains(address) }
  }
}
