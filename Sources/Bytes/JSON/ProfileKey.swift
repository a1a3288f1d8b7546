/// The declaration of one key of a JSON object: what a schema, a table of keys and a completion are made from.
///
/// Schemes and kernels declare the keys that only they read, and read them with `ObjectReader.text(_:)`,
/// `ObjectReader.integer(_:)` and the like, so that declaration and reading cannot differ.
public struct ProfileKey: Hashable, Sendable {
  /// What the value of a key is.
  public indirect enum Kind: Hashable, Sendable {
    /// A string. The range counts its characters.
    case text
    /// A string of hexadecimal digits. The range counts the octets.
    case octets
    /// One of these strings.
    case choice([String])
    /// A whole number. The range holds its values.
    case integer
    /// `true` or `false`.
    case flag
    /// A list of values of one kind. The range counts the values.
    case list(Kind)
    /// An object with these keys.
    case object([ProfileKey])
  }

  /// The key.
  public let name: String
  /// What its value is.
  public let kind: Kind
  /// Whether the key must be present.
  public let isRequired: Bool
  /// The permitted values of a number, the permitted length of anything else, or nil. See `Kind` for the unit.
  public let range: ClosedRange<Int>?
  /// The value that a reader takes when the key is absent, or nil.
  public let defaultValue: JSONValue?
  /// One sentence about the key, for people.
  public let help: String
  /// The document and section that define the key's meaning, such as `EMV Contactless Book C-3 v2.11, 3.1.1`, or nil.
  public let source: String?

  /// Creates a declaration. Traps when a required key has a default value.
  public init(
    _ name: String, _ kind: Kind, isRequired: Bool = false, range: ClosedRange<Int>? = nil,
    default defaultValue: JSONValue? = nil, help: String, source: String? = nil
  ) {
    precondition(!isRequired || defaultValue == nil, "\(name): a required key has no default value")
    self.name = name
    self.kind = kind
    self.isRequired = isRequired
    self.range = range
    self.defaultValue = defaultValue
    self.help = help
    self.source = source
  }
}
