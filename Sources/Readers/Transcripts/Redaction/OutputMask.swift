public import EMVData
public import EMVDecoding
internal import Octets

/// The account numbers and names that one output hides wherever it has them: in words, in JSON, in bytes.
public struct OutputMask: Sendable {
  private let numbers: KnownNumbers
  private let names: [String]

  /// Hides some numbers and names.
  ///
  /// - Parameters:
  ///   - numbers: Those of fewer than 13 digits are left out.
  ///   - names: As a card writes them. Other usual spellings are hidden too.
  public init(numbers: [PrimaryAccountNumber] = [], names: [[UInt8]] = []) {
    self.numbers = KnownNumbers(numbers)
    self.names = HolderNames.spellings(of: names).flatMap { name in
      [String(decoding: name, as: UTF8.self), name.hex, name.hex.lowercased()]
    }
  }

  /// Hides all account numbers and names of commands and responses.
  public init(_ data: CardholderData) {
    self.init(numbers: data.numbers + data.likelyNumbers + data.suspectedNumbers, names: data.names)
  }

  /// A text with stars in place of numbers and names, also where they are written in hexadecimal.
  public func masked(_ text: String) -> String {
    names.reduce(numbers.masked(text)) { text, name in
      text.contains(name) ? text.replacing(name, with: String(repeating: "*", count: name.count)) : text
    }
  }

  /// Bytes in hexadecimal with stars in place of numbers and names.
  public func masked(_ octets: [UInt8]) -> String {
    var digits = Array(octets.hex.utf8)
    for place in numbers.places(in: octets).flatMap(\.digits) { digits[place] = 0x2A }
    return masked(String(decoding: digits, as: UTF8.self))
  }
}
