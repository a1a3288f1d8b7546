extension ConnectionLimits {
  /// The address of the client of a request.
  ///
  /// Behind a trusted proxy it is the last address of `Forwarded` (RFC 7239) or `X-Forwarded-For` that is not a trusted
  /// proxy: everything before it can be invented by the client. When both headers are present and name different
  /// addresses, one of them may come from the client, and the address is that of the proxy.
  ///
  /// - Parameter peer: The address of the connection.
  func client(of request: AccessRequest, peer: String) -> String {
    guard trusts(peer) else { return peer }
    let standard = request.header("forwarded").map { last(of: Self.forwarded($0), after: peer) }
    let usual = request.header("x-forwarded-for").map { last(of: Self.addresses($0), after: peer) }
    if let standard, let usual, standard != usual { return peer }
    return standard ?? usual ?? peer
  }

  private func last(of addresses: [String], after peer: String) -> String {
    var known = peer
    for address in addresses.reversed() {
      // An unknown or hidden address: the proxy that reported it is the last one that is known.
      guard NetworkAddress(address) != nil else { return known }
      known = address
      guard trusts(address) else { return address }
    }
    return known
  }

  private static func forwarded(_ header: String) -> [String] {
    header.split(separator: ",").map { element in
      let pairs = element.split(separator: ";").map { $0.split(separator: "=", maxSplits: 1).map(trimmed) }
      return pairs.first { $0.count == 2 && $0[0].lowercased() == "for" }.map { withoutPort($0[1]) } ?? ""
    }
  }

  private static func addresses(_ header: String) -> [String] {
    header.split(separator: ",", omittingEmptySubsequences: false).map { withoutPort(trimmed($0)) }
  }

  private static func trimmed(_ text: Substring) -> String {
    String(text.drop { " \t\"".contains($0) }.reversed().drop { " \t\"".contains($0) }.reversed())
  }

  // `192.0.2.1:80`, `[2001:db8::1]:80` and `[2001:db8::1]` have a port or brackets; `2001:db8::1` has neither.
  private static func withoutPort(_ text: String) -> String {
    if text.hasPrefix("[") { return String(text.dropFirst().prefix { $0 != "]" }) }
    return text.count { $0 == ":" } == 1 ? String(text.prefix { $0 != ":" }) : text
  }
}
