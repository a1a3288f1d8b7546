internal import Documents
public import JSON

extension ServerConfiguration {
  /// The configuration of a server that makes its own certificate: all clients are trusted, and a registration needs no
  /// authorization.
  public static let selfSigned = ServerConfiguration(facets: .any, openRegistration: true)

  /// Reads a configuration with the keys of `ConfigurationKeys`. Every key is optional, except `facets` for a server with a
  /// certificate of its own.
  ///
  /// - Parameters:
  ///   - octets: JSON in UTF-8.
  ///   - isSelfSigned: Whether the defaults are those of `selfSigned`.
  /// - Throws: `ConfigurationError` with all problems. An unknown key is one.
  public init(json octets: [UInt8], isSelfSigned: Bool) throws(ConfigurationError) {
    self = try ConfigurationError.reporting(in: octets) { reader in
      // An editor reads it.
      _ = reader.text(.schemaReference)
      var configuration = isSelfSigned ? Self.selfSigned : Self.defaults
      for setting in Self.readSettings { setting.read(&reader, &configuration) }
      return configuration
    }
  }

  /// The settings in the order in which they are read, and in which the problem of an unknown key lists the known ones. Card
  /// profiles are read last: they are checked with the prefix of account numbers.
  private static let readSettings = {
    let places = ["link": "channelBinding", "appVersions": "tapWithoutLogin", "cards": "threshold"]
    var ordered = settings.filter { places[$0.key.name] == nil }
    for setting in settings {
      guard let former = places[setting.key.name],
        let place = ordered.firstIndex(where: { $0.key.name == former })
      else { continue }
      ordered.insert(setting, at: place + 1)
    }
    return ordered
  }()

  /// The configuration with its default values as JSON. Reading it gives this configuration again; keys that are not set and
  /// have no default value are left out. It contains no secret.
  public var json: JSONValue { JSONValue(members: settingValues) }

  /// The keys whose values differ from those of another configuration and whose change needs a restart.
  func keysForRestart(from former: ServerConfiguration) -> [String] {
    Self.settings.filter { $0.needsRestart && $0.value(self) != $0.value(former) }.map(\.key.name)
  }
}
