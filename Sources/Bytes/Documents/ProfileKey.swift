public import JSON

/// The declaration of one key of a JSON object: what a schema, a table of keys and a completion are made from.
///
/// Schemes and kernels declare the keys that only they read, and read them with `ObjectReader.text(_:)`,
/// `ObjectReader.integer(_:)` and the like, so that declaration and reading cannot differ.
public struct ProfileKey: Hashable, Sendable {
  /// What the value of a key is.
  public indirect enum Kind: Hashable, Sendable {
    /// A string. The range counts its characters.
    case text
    /// A string of hexadecimal digits. The range counts the bytes.
    case octets
    /// A string of decimal digits. The range counts the digits.
    case digits
    /// An amount of money as decimal text in the main unit of a currency: `12.34`.
    case amount
    /// A tag, a space and a value, all in hexadecimal: `9F02 000000000100`.
    case dataObject
    /// One of these strings.
    case choice([String])
    /// A whole number. The range holds its values.
    case integer
    /// `true` or `false`.
    case flag
    /// The text of an https URL without a slash at its end. The range counts its characters.
    case url
    /// One word, or a value of another kind, whose range is that of the key.
    case wordOr(String, Kind)
    /// A document with keys of its own.
    ///
    /// - Parameters:
    ///   - name: What the document is, such as `card profile`.
    ///   - schema: The file name of its JSON Schema, in the folder of the schema that refers to it.
    case document(name: String, schema: String)
    /// A number with decimals.
    case decimal
    /// Any value.
    case any
    /// A value of either kind. The range is that of both.
    case either(Kind, Kind)
    /// A value, or a list of such values, at least one. The range is that of each value.
    case oneOrList(Kind)
    /// An object whose keys are free and whose values are of one kind. The range counts the keys.
    case map(Kind)
    /// A list of values of one kind. The range of the key counts the values, `each` is the range of every value.
    case list(Kind, each: ClosedRange<Int>? = nil)
    /// An object with these keys. The range, if any, counts those that are present.
    case object([ProfileKey])
    /// An object with these keys and with those of one variant, which the value of the key `by` selects.
    case selected([ProfileKey], by: String, [Variant])
  }

  /// Further keys of an object that one of its values selects, such as those of a kernel.
  public struct Variant: Hashable, Sendable {
    /// The value that selects the keys.
    public let value: JSONValue
    /// The keys.
    public let keys: [ProfileKey]

    /// Creates a variant.
    public init(_ value: JSONValue, _ keys: [ProfileKey]) {
      self.value = value
      self.keys = keys
    }
  }

  /// One of several forms of a document, each with keys of its own.
  public struct Shape: Hashable, Sendable {
    /// Which documents have the form.
    public enum Condition: Hashable, Sendable {
      /// Those in which a key has this value.
      case value(String, JSONValue)
      /// Those that have a key.
      case present(String)
      /// All for which no condition before is met.
      case otherwise
    }

    /// The name for people.
    public let name: String
    /// Which documents have the form.
    public let condition: Condition
    /// The keys.
    public let keys: [ProfileKey]

    /// Creates a form.
    public init(_ name: String, when condition: Condition, _ keys: [ProfileKey]) {
      (self.name, self.condition, self.keys) = (name, condition, keys)
    }
  }

  /// `$schema` of a document: editors check the document against the JSON Schema that it names.
  public static let schemaReference = ProfileKey(
    "$schema", .text, help: "The place of a JSON Schema, for editors. Without an effect here.")

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
