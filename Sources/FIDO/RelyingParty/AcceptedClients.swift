package import FIDOUAF

/// The clients and connections from which a relying party accepts responses.
package struct AcceptedClients: Sendable {
  /// The facet identifiers of the clients; nil: all clients are trusted.
  package let facets: [String]?
  /// The bindings to connections of the relying party; nil: bindings are not checked.
  package let channelBindings: [ChannelBinding]?

  /// Creates a list of clients.
  package init(facets: [String]?, channelBindings: [ChannelBinding]?) {
    (self.facets, self.channelBindings) = (facets, channelBindings)
  }

  /// Returns whether the facet identifier of a client is in the list.
  func trusts(facet: String) -> Bool { facets?.contains(facet) ?? true }

  /// Returns whether a response with a binding is accepted. A response without a binding is, and `tlsUnique` and `cid_pubkey` are
  /// ignored: TLS 1.3 has neither.
  package func accepts(_ binding: ChannelBinding) -> Bool {
    func agree(_ sent: String?, _ expected: String?) -> Bool { sent == nil || expected == nil || sent == expected }
    return channelBindings?.contains { expected in
      agree(binding.serverEndPoint, expected.serverEndPoint)
        && agree(binding.serverCertificate, expected.serverCertificate)
    } ?? true
  }
}
