public import Documents
public import ISO7816
public import JSON

/// A payment scheme as a profile names it: its registration.
///
/// A scheme works when a profile is compiled, never at a tap: it reads the keys of an application that only it has and
/// adds the programs of the application's commands. The article "EMVCard" describes how to add one.
public struct CardScheme: Sendable {
  /// How a scheme maps the data groupings of a personalisation file.
  public struct Personalisation: Sendable {
    /// The registered provider identifier (RID) at the start of the scheme's AIDs, 5 bytes.
    public let provider: [UInt8]
    /// Tag 50 when the file does not have it.
    public let label: String
    /// Tags of the response to GET PROCESSING OPTIONS that `keys` reads, so that the profile does not repeat them.
    public let ownTags: [Tag]
    /// Reads tag 9F10; nil for a layout that the scheme does not know.
    public let cryptogram: @Sendable (_ issuerApplicationData: [UInt8]) -> CardProfile.Cryptogram?
    /// The scheme's own keys of the profile, from the data objects of the response to GET PROCESSING OPTIONS.
    public let keys: @Sendable (_ options: [TLVNode]) -> [String: JSONValue]

    /// Creates a mapping.
    public init(
      provider: [UInt8], label: String, ownTags: [Tag] = [],
      cryptogram: @escaping @Sendable (_ issuerApplicationData: [UInt8]) -> CardProfile.Cryptogram?,
      keys: @escaping @Sendable (_ options: [TLVNode]) -> [String: JSONValue] = { _ in [:] }
    ) {
      self.provider = provider
      self.label = label
      self.ownTags = ownTags
      self.cryptogram = cryptogram
      self.keys = keys
    }
  }

  /// `kernel` of a profile's application, such as `visa`.
  public let name: String
  /// Tag 9F2A of the directory entry, 1 or 3 bytes (EMV Contactless Book B, table 3-3).
  public let kernelIdentifier: [UInt8]
  /// The keys of an application that the scheme reads besides those of every application.
  public let keys: [ProfileKey]
  /// The permitted lengths, in bytes, of data objects in records that mean something else to the scheme's kernel than
  /// to the dictionary.
  public let recordLengths: [Tag: ClosedRange<Int>]
  /// How the scheme maps a personalisation file; nil when it does not.
  public let personalisation: Personalisation?
  /// Reads the scheme's keys and `cryptogram`, and adds the programs. Notes every problem in the reader.
  public let compile: @Sendable (_ application: inout ObjectReader, _ image: inout ApplicationBuilder) -> Void

  /// Creates a registration. Traps for an identifier of another length than 1 or 3 bytes.
  public init(
    _ name: String, kernelIdentifier: [UInt8], keys: [ProfileKey] = [],
    recordLengths: [Tag: ClosedRange<Int>] = [:], personalisation: Personalisation? = nil,
    compile: @escaping @Sendable (_ application: inout ObjectReader, _ image: inout ApplicationBuilder) -> Void
  ) {
    precondition([1, 3].contains(kernelIdentifier.count), "a kernel identifier has 1 or 3 bytes")
    self.name = name
    self.kernelIdentifier = kernelIdentifier
    self.keys = keys
    self.recordLengths = recordLengths
    self.personalisation = personalisation
    self.compile = compile
  }
}

extension CardProfile {
  /// The keys of a profile that the card reads, from which its schema and the table of its keys are made.
  ///
  /// - Parameter schemes: The schemes that the profile may name.
  public static func keys(schemes: [CardScheme]) -> [ProfileKey] {
    let applications = CardKeys.applications(schemes.map { ProfileKey.Variant(JSONValue($0.name), $0.keys) })
    return [.schemaReference, CardKeys.format, CardKeys.name, applications]
  }
}
