internal import Octets

/// Removes what identifies a reader or a card from texts and bytes.
///
/// A serial number of fewer than 4 characters, or of one character alone such as 0000, identifies nothing and occurs by
/// chance: it stays.
public struct EvidenceRedaction: Equatable, Sendable {
  /// The names of the reader as programs see them, with the serial number and the number that pcscd adds.
  public var readerNames: [String]
  /// The serial number of the device; nil for none.
  public var serialNumber: String?
  /// The identifiers of the cards.
  public var cardIdentifiers: [[UInt8]] = []

  /// Creates a redaction.
  public init(readerNames: [String], serialNumber: String? = nil) {
    (self.readerNames, self.serialNumber) = (readerNames, serialNumber)
  }

  /// The text with `the reader` in place of its names, and without the serial number and the identifiers of cards.
  public func redacted(_ text: String) -> String {
    var text = text
    for name in readerNames.sorted(by: { $0.count > $1.count }) where !name.isEmpty {
      text = text.replacing("reader \"\(name)\"", with: "the reader").replacing(name, with: "the reader")
    }
    for secret in secrets { text = text.replacing(secret, with: "") }
    return text
  }

  /// The bytes with zeros in place of the identifiers of cards.
  public func redacted(_ octets: [UInt8]) -> [UInt8] {
    var octets = octets
    for identifier in cardIdentifiers where identifier.count >= 4 && octets.count >= identifier.count {
      for start in 0...(octets.count - identifier.count)
      where octets[start..<(start + identifier.count)].elementsEqual(identifier) {
        octets.replaceSubrange(
          start..<(start + identifier.count), with: [UInt8](repeating: 0, count: identifier.count))
      }
    }
    return octets
  }

  /// The texts that must not occur.
  private var secrets: [String] {
    let serials = serialNumber.map { [$0] } ?? []
    let identifiers = cardIdentifiers.filter { $0.count >= 4 }.flatMap { [$0.hex, $0.hex.lowercased()] }
    return serials.filter { $0.count >= 4 && Set($0).count > 1 } + identifiers
  }
}
