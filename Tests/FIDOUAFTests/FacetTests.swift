import Documents
import JSON
import Testing

@testable import FIDOUAF

@Suite("Facets")
struct FacetTests {
  static let facet = "ios:bundle-id:ch.example.app"

  static let decisions: [(applicationID: String?, facetID: String, decision: FacetDecision)] = [
    (nil, facet, .trusted(applicationID: facet)), ("", facet, .trusted(applicationID: facet)),
    (facet, facet, .trusted(applicationID: facet)), ("ios:bundle-id:other", facet, .untrusted),
    ("http://example.test/facets", facet, .untrusted), ("https://user@example.test/", facet, .untrusted),
    ("https://example.test/facets", facet, .list(url: "https://example.test/facets")),
    (
      "https://example.test/facets", "https://EXAMPLE.test:8443", .trusted(applicationID: "https://example.test/facets")
    ),
    ("https://example.test/facets", "http://example.test", .list(url: "https://example.test/facets")),
    ("https://example.test/facets", "https://other.test", .list(url: "https://example.test/facets")),
  ]

  @Test(arguments: decisions.indices)
  func `a facet is trusted by itself, by its host, or by a list`(row: Int) {
    let (application, facet, decision) = Self.decisions[row]
    #expect(FacetDecision(applicationID: application, facetID: facet) == decision)
  }

  static func list(_ ids: [String], _ version: UAFVersion = .v1_1) -> TrustedFacetList {
    TrustedFacetList([version: ids])
  }
  static let application = "https://fido.example.test/facets"

  @Test func `a list trusts the facets of its version only`() {
    let list = Self.list([Self.facet])
    #expect(list.trusts(Self.facet, version: .v1_1, applicationID: Self.application))
    #expect(!list.trusts(Self.facet, version: .v1_0, applicationID: Self.application))
    #expect(!list.trusts(Self.facet + "2", version: .v1_1, applicationID: Self.application))
  }

  @Test func `a web facet is compared by its origin within one registrable domain`() {
    let list = Self.list(["https://fido.example.test", "https://www.example.test:8443/path", "https://evil.test"])
    func trusts(_ facet: String, _ domain: (String) -> String = { $0 }) -> Bool {
      list.trusts(facet, version: .v1_1, applicationID: Self.application, registrableDomain: domain)
    }
    let lastTwo: (String) -> String = { $0.split(separator: ".").suffix(2).joined(separator: ".") }
    #expect(trusts("https://fido.example.test/login"))
    #expect(trusts("https://FIDO.example.test:443"))
    #expect(!trusts("https://fido.example.test:444"))
    #expect(!trusts("https://www.example.test:8443"))
    #expect(trusts("https://www.example.test:8443", lastTwo))
    #expect(!trusts("https://evil.test", lastTwo))
  }

  @Test func `a list is written as it is read, and malformed lists are refused`() throws {
    let list = TrustedFacetList([.v1_0: [Self.facet], .v1_1: []])
    #expect(try TrustedFacetList(list.json) == list)
    let wrong: [JSONValue] = [
      [:], ["trustedFacets": "x"], ["trustedFacets": [["ids": []]]],
      ["trustedFacets": [["version": ["major": 1, "minor": 1], "ids": [""]]]],
      [
        "trustedFacets": [
          ["version": ["major": 1, "minor": 1], "ids": []], ["version": ["major": 1, "minor": 1], "ids": []],
        ]
      ],
    ]
    for json in wrong { #expect(throws: DocumentError.self) { try TrustedFacetList(json) } }
  }

  static let origins: [(url: String, origin: String?)] = [
    ("https://a.test", "https a.test 443"), ("HTTP://A.test/x?y#z", "http a.test 80"),
    ("https://a.test:1/", "https a.test 1"),
    ("https://[::1]:8443/x", "https [::1] 8443"), ("https://a.test:", "https a.test 443"), ("https://", nil),
    ("https://a.test:0", nil), ("https://a.test:65536", nil), ("https://a.test:x", nil), ("https://u@a.test", nil),
    ("ftp://a.test", nil), ("a.test", nil), ("https://[::1", nil), ("https://a b.test", nil),
    ("https://a.test\\@b.test", "https a.test 443"),
  ]

  @Test(arguments: origins.indices)
  func `the origin of a URL is scheme, host and port`(row: Int) {
    let origin = WebOrigin(url: Self.origins[row].url).map { "\($0.scheme) \($0.host) \($0.port)" }
    #expect(origin == Self.origins[row].origin)
  }
}
