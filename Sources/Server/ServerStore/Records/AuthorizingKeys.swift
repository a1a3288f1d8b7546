/// The registered keys with which a client was authorised, by the external identifiers that the server chose.
package struct AuthorizingKeys: StoredValue, Codable, Hashable {
  /// The external identifiers, which have no space.
  package let externalIDs: Set<String>

  package init(_ credentials: [CredentialRecord]) { externalIDs = Set(credentials.map(\.externalID)) }

  package init?(_ value: SQLValue) {
    guard let text = String(value) else { return nil }
    externalIDs = Set(text.split(separator: " ").map(String.init))
  }

  package var stored: SQLValue { .text(externalIDs.sorted().joined(separator: " ")) }

  /// Returns whether they have a key in common with others.
  package func overlaps(_ others: AuthorizingKeys) -> Bool { !externalIDs.isDisjoint(with: others.externalIDs) }
}
