internal import Documents
internal import EMVCard
internal import JSON

/// How the issuer of the server makes cards and delivers their keys.
public struct IssuerConfiguration: Hashable, Sendable {
  /// The profiles of which a wallet can add a card; the first one is the default.
  public var cards: [CardTemplate] = []
  /// The first digits of every account number, 1 to 12 digits. No bank has the default.
  public var accountPrefix = "999999"
  /// The number of payments of a delivery of keys: 1...1000.
  public var uses = 10
  /// A card needs replenishment when so many payments are left, or fewer: 0...999.
  public var threshold = 3

  /// The default configuration, which has no card.
  public init() {}
}

extension IssuerConfiguration: Configurable {
  static let defaults = IssuerConfiguration()

  static let settings: [Setting<IssuerConfiguration>] = [
    cardSetting, prefixSetting, .number("uses", \.uses, 1...1_000, "The payments of one delivery of keys."),
    thresholdSetting,
  ]

  /// The card profiles. They are read after the prefix of account numbers.
  private static let cardSetting = {
    let key = ProfileKey(
      "cards", .list(.document(name: "card profile", schema: "card-profile.schema.json")),
      help: "The profiles of which a wallet can add a card, each with a name of its own; the first one is the default.")
    return Setting<IssuerConfiguration>(key: key) { reader, target in
      let prefix = target.accountPrefix
      target.cards =
        reader.optionalList(key.name) { value, place, reader in
          let template = Result { () throws(CardTemplateError) in
            try CardTemplate(json: Array(value.compact.utf8), prefix: prefix)
          }
          if case .failure(let error) = template { reader.note(place, "\(error)") }
          return try? template.get()
        } ?? []
      if Set(target.cards.map(\.name)).count != target.cards.count {
        reader.note(key.name, "two profiles have the same name")
      }
    } value: { target in
      // A profile that was read is valid JSON.
      JSONValue(target.cards.compactMap { try? JSONValue(parsing: $0.profile.json) })
    }
  }()

  private static let prefixSetting = {
    let key = ProfileKey(
      "accountPrefix", .digits, range: 1...12, default: JSONValue(defaults.accountPrefix),
      help: "The first digits of every account number.")
    return Setting<IssuerConfiguration>(key: key) { reader, target in
      target.accountPrefix = reader.text(key) ?? target.accountPrefix
      if !target.accountPrefix.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
        reader.refuse(key.name, "1 to 12 decimal digits are needed")
      }
    } value: { target in
      JSONValue(target.accountPrefix)
    }
  }()

  private static let thresholdSetting = {
    let key = ProfileKey(
      "threshold", .integer, range: 0...999, default: JSONValue(defaults.threshold),
      help: "With so many payments left keys are replenished; less than `uses`.")
    return Setting<IssuerConfiguration>(key: key) { reader, target in
      target.threshold = reader.integer(key) ?? target.threshold
      guard target.threshold >= target.uses else { return }
      reader.note(key.name, "\(target.threshold): it must be less than uses, which is \(target.uses)")
    } value: { target in
      JSONValue(target.threshold)
    }
  }()
}
