public import Documents
public import JSON

/// The facets that an application trusts, per version of the protocol (FIDO AppID and Facet Specification 1.1, section 3.1.3).
public struct TrustedFacetList: Hashable, Sendable {
  /// The media type that a server must use.
  public static let mediaType = "application/fido.trusted-apps+json"
  /// The largest list that is read, in bytes: 64 KiB.
  public static let maximumCount = 65_536

  /// The facets per version.
  public let facets: [UAFVersion: [String]]

  /// Creates a list.
  public init(_ facets: [UAFVersion: [String]]) { self.facets = facets }

  /// Reads a list.
  ///
  /// - Throws: `DocumentError`.
  public init(_ json: JSONValue) throws(DocumentError) {
    let reader = try StrictReader(json, at: "$")
    let entries = try reader.list("trustedFacets") { (json, path) throws(DocumentError) in
      let entry = try StrictReader(json, at: path)
      let version = try entry.value("version", UAFVersion.init(_:at:))
      let facets = try entry.list("ids") { (json, path) throws(DocumentError) in
        try StrictReader.text(json, 1...512, at: path)
      }
      return (version: version, facets: facets)
    }
    guard Set(entries.map(\.version)).count == entries.count else {
      throw reader.error("trustedFacets", "contains one version twice")
    }
    facets = Dictionary(uniqueKeysWithValues: entries.map { ($0.version, $0.facets) })
  }

  /// The list as JSON, in the order of the versions.
  public var json: JSONValue {
    let entries = facets.sorted { $0.key < $1.key }.map { version, facets -> JSONValue in
      ["version": version.json, "ids": JSONValue(facets.map { JSONValue($0) })]
    }
    return ["trustedFacets": JSONValue(entries)]
  }

  /// Whether the list trusts a facet.
  ///
  /// A web facet is compared by its origin and counts only when its host belongs to the same registrable domain as the
  /// application identifier. Other facets are compared as text.
  ///
  /// - Parameters:
  ///   - facetID: The facet identifier of the client.
  ///   - version: The version of the message. An entry of another version does not count.
  ///   - applicationID: The URL of the list before any redirection.
  ///   - registrableDomain: Returns the public suffix and one more label of a host. The default returns the host itself,
  ///     which is stricter and needs no list of public suffixes.
  public func trusts(
    _ facetID: String, version: UAFVersion, applicationID: String,
    registrableDomain: (String) -> String = { $0 }
  ) -> Bool {
    guard let trusted = facets[version] else { return false }
    guard let facet = WebOrigin(url: facetID) else { return trusted.contains(facetID) }
    guard let application = WebOrigin(url: applicationID),
      registrableDomain(facet.host) == registrableDomain(application.host)
    else { return false }
    return trusted.contains { WebOrigin(url: $0) == facet }
  }
}
