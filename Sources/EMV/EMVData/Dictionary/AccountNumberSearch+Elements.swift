public import ISO7816
internal import Octets

/// The account numbers and names in data elements.
extension AccountNumberSearch {
  // 5A, 57, 9F6B and 56: account number and tracks.
  private static let numberTag: Tag = 0x5A
  private static let track2Tags: Set<Tag> = [0x57, 0x9F6B]
  private static let track1Tag: Tag = 0x56
  private static let nameTags: Set<Tag> = [0x5F20, 0x9F0B]

  /// Whether the content of a data element is defined. That of the buffers and envelopes of kernels 2 and 8 (tags of
  /// three bytes) and of a card's life cycle data is not, although they have names.
  public static func isDefined(_ tag: Tag) -> Bool {
    tag.octetCount < 3 && tag != 0x9F7F && DataElement.named(tag) != nil
  }

  /// Whether a data element for text holds other bytes.
  public static func isBrokenText(_ tag: Tag, _ value: [UInt8]) -> Bool {
    switch DataElement.named(tag)?.format {
    case .alphabetic?, .alphanumeric?, .special?: !isForNumber(tag) && !value.isPrintable
    default: false
    }
  }

  /// Whether a data element is the account number or a track.
  public static func isForNumber(_ tag: Tag) -> Bool {
    tag == numberTag || tag == track1Tag || track2Tags.contains(tag)
  }

  /// Returns the account number in the value of a data element for one, or nil.
  public static func accountNumber(_ tag: Tag, _ value: [UInt8]) -> PrimaryAccountNumber? {
    if tag == numberTag { return PrimaryAccountNumber(compressedNumeric: value) }
    if track2Tags.contains(tag) { return Track2Fields(value)?.number }
    return tag == track1Tag ? Track1Fields(value)?.number : nil
  }

  /// Returns the account numbers in a value that hardly occur by chance: those of the data elements for account numbers
  /// and tracks, and those in the text or track of another defined element.
  public static func accountNumbers(_ tag: Tag, _ value: [UInt8]) -> [PrimaryAccountNumber] {
    if let number = accountNumber(tag, value) { return [number] }
    guard isDefined(tag) else { return [] }
    return writtenNumbers(in: value) + [track2Number(value)].compactMap(\.self)
  }

  /// Returns the account number that the value of another defined element is as a whole; nil for a list of records, whose
  /// bytes are digits too. A cryptogram can be one by chance.
  public static func packedNumber(_ tag: Tag, _ value: [UInt8]) -> PrimaryAccountNumber? {
    isDefined(tag) && tag != .applicationFileLocator ? packedNumber(value) : nil
  }

  /// Returns what may be account numbers in bytes of unknown meaning, packed or as text.
  public static func suspectedNumbers(in octets: [UInt8]) -> [PrimaryAccountNumber] {
    packedNumbers(within: octets) + numbers(inText: octets, .ofCard)
  }

  /// Returns the names in a value, without the spaces that fill them: the cardholder's, that of track 1, and a text of
  /// the form surname/first name in a data element that the dictionary does not have. Names of fewer than four letters
  /// are left out, because they occur in any text.
  public static func names(_ tag: Tag, _ value: [UInt8]) -> [[UInt8]] {
    if nameTags.contains(tag) { return [cardholderName(value)].compactMap(\.self) }
    if isDefined(tag), tag != track1Tag { return TrackText.names(in: value) }
    let isName = !isDefined(tag) && TrackText.isName(value)
    return TrackText.names(in: value) + (isName ? [cardholderName(value)].compactMap(\.self) : [])
  }

  /// Returns a name without the spaces that fill it; nil for one of fewer than four letters and one that is hidden.
  static func cardholderName(_ filled: some Sequence<UInt8>) -> [UInt8]? {
    let name = filled.drop { $0 == 0x20 }.reversed().drop { $0 == 0x20 }.reversed()
    return name.count >= 4 && name.contains { $0 != 0x58 && $0 != 0x20 } ? Array(name) : nil
  }
}
