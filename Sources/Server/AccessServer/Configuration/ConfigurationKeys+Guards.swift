internal import Documents
internal import JSON
internal import ProcessGuard

extension ConfigurationKeys {
  static let guardKeys = [onTampering, refuse]

  static let onTampering = ProfileKey(
    "onTampering", .choice(TamperingReaction.allCases.map(\.rawValue)),
    default: JSONValue(TamperingReaction.error.rawValue),
    help: """
      What a sign of tampering with the server does: no request is answered, or the server ends without a reason. \
      --on-tampering comes first. A change needs a restart.
      """)
  static let refuse = ProfileKey(
    "refuse", .list(.choice(Surrounding.allCases.map(\.rawValue))),
    help: "The surroundings in which the server does not run. --refuse comes first. A change needs a restart.")
}

extension GuardConfiguration {
  init(_ reader: inout ObjectReader) {
    onTampering = reader.text(ConfigurationKeys.onTampering).flatMap { TamperingReaction(rawValue: $0) } ?? .error
    refused =
      reader.optionalList(ConfigurationKeys.refuse.name) { value, place, reader in
        let kind = value.text.flatMap { Surrounding(rawValue: $0) }
        if kind == nil { reader.refuse(place, Surrounding.expectation) }
        return kind
      } ?? []
  }

  var members: [(String, JSONValue?)] {
    [
      (ConfigurationKeys.onTampering.name, JSONValue(onTampering.rawValue)),
      (ConfigurationKeys.refuse.name, JSONValue(refused.map { JSONValue($0.rawValue) })),
    ]
  }

  /// The keys whose values differ from those of another configuration.
  func changedKeys(from former: GuardConfiguration) -> [String] {
    [
      (ConfigurationKeys.onTampering.name, onTampering != former.onTampering),
      (ConfigurationKeys.refuse.name, refused != former.refused),
    ].filter(\.1).map(\.0)
  }
}
