internal import Documents
internal import JSON

/// How the issuer of the server makes cards and delivers their keys.
public struct IssuerConfiguration: Hashable, Sendable {
  /// The profiles of which a wallet can add a card; the first one is the default.
  public var cards: [CardTemplate] = []
  /// The first digits of every account number, 1 to 12 digits. No bank has the default.
  public var accountPrefix = Self.defaultPrefix
  /// The number of payments of a delivery of keys: 1...1000.
  public var uses = 10
  /// A card needs replenishment when so many payments are left, or fewer: 0...999.
  public var threshold = 3

  static let defaultPrefix = "999999"

  /// The default configuration, which has no card.
  public init() {}

  /// Reads the keys `cards`, `accountPrefix`, `uses` and `threshold` of a configuration.
  init(_ reader: inout ObjectReader) {
    let prefix = reader.text(ConfigurationKeys.accountPrefix) ?? Self.defaultPrefix
    if !prefix.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      reader.refuse("accountPrefix", "1 to 12 decimal digits are needed")
    }
    accountPrefix = prefix
    uses = reader.integer(ConfigurationKeys.uses) ?? uses
    threshold = reader.integer(ConfigurationKeys.threshold) ?? threshold
    if threshold >= uses { reader.note("threshold", "\(threshold): it must be less than uses, which is \(uses)") }
    cards =
      reader.optionalList(ConfigurationKeys.cards.name) { value, place, reader in
        let template = Result { () throws(CardTemplateError) in
          try CardTemplate(json: Array(value.compact.utf8), prefix: prefix)
        }
        if case .failure(let error) = template { reader.note(place, "\(error)") }
        return try? template.get()
      } ?? []
    if Set(cards.map(\.name)).count != cards.count { reader.note("cards", "two profiles have the same name") }
  }
}
