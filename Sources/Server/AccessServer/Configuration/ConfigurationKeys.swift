public import Documents
public import JSON

/// The declared keys of a configuration, for its JSON Schema and the table of its keys.
public enum ConfigurationKeys {
  /// All keys, in the order of the table.
  public static let all: [ProfileKey] = [.schemaReference] + ServerConfiguration.keys

  /// The keys as a table.
  public static var table: ProfileKeyTable { ProfileKeyTable(all) }
  /// The keys as a JSON Schema.
  public static var schema: JSONValue { ProfileKey.schema(of: all, title: "Configuration of tap-server") }
}
