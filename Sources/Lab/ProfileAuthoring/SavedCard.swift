internal import EMVData
internal import Octets

/// A card that another tool has saved without its commands and responses: a file of Flipper, or the memory of a storage card.
///
/// Recordings and logs, also those of a Proxmark's `emv scan`, are no saved cards: `RecordingFormats` reads them.
public struct SavedCard: Equatable, Sendable {
  /// What the file is, such as `a card saved by Flipper (EMV)`.
  public let title: String
  /// The data objects of the payment card, with their tags; empty for another card.
  let elements: [SavedElement]
  /// Why no payment card can be made of it; nil for a payment card.
  public let refusal: String?

  /// A value of a saved card.
  struct SavedElement: Equatable, Sendable {
    let tag: UInt32
    let value: [UInt8]
  }

  init(title: String, elements: [SavedElement] = [], refusal: String? = nil) {
    (self.title, self.elements, self.refusal) = (title, elements, refusal)
  }

  /// Recognises a file; nil for any other.
  ///
  /// - Parameter octets: The content of the file.
  public init?(parsing octets: [UInt8]) {
    guard let card = Self.flipper(octets) ?? Self.storage(octets) else { return nil }
    self = card
  }

  /// The value of a data object, or nil.
  subscript(tag: UInt32) -> [UInt8]? { elements.first { $0.tag == tag }?.value }
}

extension SavedCard {
  /// Reads `Filetype: Flipper NFC device`: lines of a key and a value.
  private static func flipper(_ octets: [UInt8]) -> SavedCard? {
    let mark = Array("Filetype: Flipper NFC device".utf8)
    guard octets.starts(with: mark) else { return nil }
    var fields: [String: String] = [:]
    for line in String(decoding: octets, as: UTF8.self).split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
      if parts.count == 2 { fields[parts[0]] = fields[parts[0]] ?? String(parts[1].drop { $0 == " " }) }
    }
    let kind = fields["Device type"] ?? "no device type"
    let title = "a card saved by Flipper (\(kind))"
    guard ["EMV", "Bank card"].contains(kind) else {
      return SavedCard(
        title: title,
        refusal: "it is \(kind), not EMV: it holds no application, so there is no payment card to make of it")
    }
    let found = names.compactMap { name, tag -> SavedElement? in
      fields[name].flatMap { value(tag, $0) }.map { SavedElement(tag: tag, value: $0) }
    }
    return SavedCard(title: title, elements: found + dates(fields))
  }

  /// The fields of a file and their tags; a tag with two names has had another one in an earlier version.
  private static let names: [(String, UInt32)] = [
    ("AID", 0x4F), ("PAN", 0x5A), ("Number", 0x5A), ("Application label", 0x50), ("Name", 0x50),
    ("Application name", 0x9F12), ("Cardholder name", 0x5F20), ("Cardholder", 0x5F20),
    ("Application interchange profile", 0x82), ("Country code", 0x5F28), ("Currency code", 0x9F42),
  ]
  private static let texts: Set<UInt32> = [0x50, 0x9F12, 0x5F20]

  private static func value(_ tag: UInt32, _ text: String) -> [UInt8]? {
    if texts.contains(tag) { return text.isEmpty ? nil : Array(text.utf8) }
    guard let octets = try? [UInt8](hex: text), octets.contains(where: { $0 != 0 }) else { return nil }
    // Flipper writes codes as its processor stores them, the low byte first; ISO 3166-1 and ISO 4217 have three digits.
    let isCode = [0x5F28, 0x9F42].contains(tag) && octets.count == 2
    return isCode && octets[0] > 0x09 ? octets.reversed() : octets
  }

  private static func dates(_ fields: [String: String]) -> [SavedElement] {
    let places: [(String, UInt32)] = [("Expiration", 0x5F24), ("Effective", 0x5F25)]
    return places.compactMap { name, tag in
      let parts = ["year", "month", "day"].compactMap { fields["\(name) \($0)"].flatMap { try? [UInt8](hex: $0) } }
      let date = parts.flatMap(\.self)
      return date.count == 3 && date[1] != 0 ? SavedElement(tag: tag, value: date) : nil
    }
  }

  /// Recognises the memory of a storage card: a dump of MIFARE Classic as bytes or as lines of a block, and the JSON that
  /// a Proxmark writes of one.
  private static func storage(_ octets: [UInt8]) -> SavedCard? {
    let refusal = "it is a storage card, which has no application, so there is no payment card to make of it"
    if let kind = proxmarkKind(octets) { return SavedCard(title: "a Proxmark's dump of \(kind)", refusal: refusal) }
    let lines = String(decoding: octets.prefix(16_384), as: UTF8.self).split(whereSeparator: \.isNewline)
    let blocks = lines.compactMap { $0.utf8.count == 32 ? try? [UInt8](hex: String($0)) : nil }
    let memory = !lines.isEmpty && blocks.count == lines.count ? blocks.flatMap(\.self) : octets
    guard let name = classicSizes[memory.count], hasAccessBits(memory) else { return nil }
    return SavedCard(title: "a dump of \(name)", refusal: refusal)
  }

  private static let classicSizes = [
    320: "MIFARE Classic Mini", 1024: "MIFARE Classic 1K", 2048: "MIFARE Classic 2K", 4096: "MIFARE Classic 4K",
  ]

  /// Whether the last block of the first sectors has access bits that are repeated inverted (MF1S50yyX, 8.7).
  private static func hasAccessBits(_ memory: [UInt8]) -> Bool {
    stride(from: 48, to: min(memory.count, 2048), by: 64).allSatisfy { start in
      let bits = memory[(start + 6)..<(start + 9)].map(Int.init)
      let (inverted, plain) = (bits[0] | (bits[1] & 0x0F) << 8, bits[1] >> 4 | bits[2] << 4)
      return inverted ^ plain == 0xFFF
    }
  }

  /// The card of `"FileType": "mfc v2"`; nil for any other file.
  private static func proxmarkKind(_ octets: [UInt8]) -> String? {
    let text = String(decoding: octets.prefix(1024), as: UTF8.self)
    guard text.utf8.first == 0x7B, text.contains("\"Created\": \"proxmark3\""),
      let place = text.firstRange(of: "\"FileType\": \"")
    else { return nil }
    let kinds = ["mfc": "MIFARE Classic", "mfu": "MIFARE Ultralight", "mfp": "MIFARE Plus", "15693": "ISO 15693"]
    let type = text[place.upperBound...].prefix { $0 != "\"" }
    return kinds.first { type.hasPrefix($0.key) }?.value ?? String(type.prefix(32))
  }
}
