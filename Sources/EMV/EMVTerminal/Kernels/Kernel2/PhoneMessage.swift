internal import Documents
internal import JSON
internal import Octets

/// An entry of the table of messages for a phone that needs its holder: tag DF8131. The first entry that matches tag DF4B
/// gives the message.
public struct PhoneMessage: Hashable, Sendable {
  /// The bits of tag DF4B that are compared: three bytes.
  public let mask: UInt32
  /// Their values.
  public let value: UInt32
  /// The message on the display.
  public let message: CardholderMessage
  /// The state of the reader; nil for an entry of a profile, since no public document gives the values of its last byte.
  public let status: UserInterfaceRequest.Status?

}

extension PhoneMessage {
  /// The number of bytes of an entry: mask 3, value 3, message 1, status of the display 1.
  static let count = 8

  /// Reads an entry; nil for another number of bytes than 8, and for a message that this terminal does not have. The status of
  /// the display is ignored.
  init?(octets: [UInt8]) {
    guard octets.count == Self.count, let message = CardholderMessage(rawValue: octets[6]) else { return nil }
    func number(_ octets: ArraySlice<UInt8>) -> UInt32 { octets.reduce(0) { $0 << 8 | UInt32($1) } }
    self.init(mask: number(octets[0..<3]), value: number(octets[3..<6]), message: message, status: nil)
  }

  /// The table of open terminals: bits 4, 3, 1 and 2 of byte 2 send the holder to the phone, anything else declines.
  static let defaults: [PhoneMessage] =
    [0x000800, 0x000400, 0x000100, 0x000200].map {
      PhoneMessage(mask: $0, value: $0, message: .seePhone, status: .notReady)
    }
    + [PhoneMessage(mask: 0, value: 0, message: .notAuthorised, status: .notReady)]

  static let key = ProfileKey(
    "phoneMessages", .list(.octets, each: count...count),
    help: """
      Tag DF8131: for each entry mask (3 bytes) and value (3) of tag DF4B, message (1) and status of the display (1). When left \
      out, bits 1 to 4 of byte 2 show "see phone", and anything else declines.
      """)

  /// Reads the key of the settings.
  static func table(reading settings: inout ObjectReader) -> [PhoneMessage] {
    guard settings.has(key.name) else { return defaults }
    return settings.list(key.name) { element, place, reader -> PhoneMessage? in
      guard let text = element.text, let octets = try? [UInt8](hex: text), let entry = PhoneMessage(octets: octets)
      else {
        reader.refuse(
          place, "\(element.text.map { "\"\($0)\"" } ?? element.kind) is no entry of 8 bytes with a known message")
        return nil
      }
      return entry
    }
  }
}
