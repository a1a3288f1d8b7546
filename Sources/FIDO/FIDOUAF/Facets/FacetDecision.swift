/// Whether a facet of an application may use its keys (FIDO AppID and Facet Specification 1.1, section 3.1.2).
public enum FacetDecision: Hashable, Sendable {
  /// The facet is trusted; messages carry this application identifier.
  case trusted(applicationID: String)
  /// The list of trusted facets at this https URL decides.
  case list(url: String)
  /// The facet is not trusted.
  case untrusted

  /// Decides as far as possible without the list of trusted facets.
  ///
  /// - Parameters:
  ///   - applicationID: The application identifier of the request; nil or empty for none.
  ///   - facetID: The facet identifier of the client.
  public init(applicationID: String?, facetID: String) {
    guard let applicationID, !applicationID.isEmpty else {
      self = .trusted(applicationID: facetID)
      return
    }
    if applicationID == facetID {
      self = .trusted(applicationID: applicationID)
      return
    }
    guard let application = WebOrigin(url: applicationID), application.scheme == "https" else {
      self = .untrusted
      return
    }
    if let facet = WebOrigin(url: facetID), facet.scheme == "https", facet.host == application.host {
      self = .trusted(applicationID: applicationID)
      return
    }
    self = .list(url: applicationID)
  }
}

/// Scheme, host and port of a URL (RFC 6454).
public struct WebOrigin: Hashable, Sendable {
  /// The scheme in lower case.
  public let scheme: String
  /// The host in lower case.
  public let host: String
  /// The port; the default port of the scheme when the URL names none.
  public let port: UInt16

  private static let defaultPorts: [String: UInt16] = ["http": 80, "https": 443]

  /// The origin as text, such as `https://example.org:8443`; the default port of the scheme is left out.
  public var text: String {
    port == Self.defaultPorts[scheme] ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
  }

  /// Reads the origin of an absolute URL with the scheme http or https. Nil for any other text, and for a URL with a user.
  public init?(url: String) {
    let parts = url.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    scheme = parts[0].lowercased()
    guard let defaultPort = Self.defaultPorts[scheme] else { return nil }
    let authority = parts[1].prefix { !"/?#\\".contains($0) }
    guard !authority.contains("@") else { return nil }
    let host: Substring
    let rest: Substring
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      (host, rest) = (authority[...end], authority[authority.index(after: end)...])
    } else {
      host = authority.prefix { $0 != ":" }
      rest = authority.dropFirst(host.count)
    }
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    self.host = host.lowercased()
    if rest.isEmpty || rest == ":" {
      port = defaultPort
    } else {
      guard rest.hasPrefix(":"), let number = UInt16(rest.dropFirst()), number > 0 else { return nil }
      port = number
    }
  }
}
