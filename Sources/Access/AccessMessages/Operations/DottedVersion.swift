/// The version of a client or of a server: numbers with points between them. Missing numbers count as 0.
public struct DottedVersion: Comparable, Hashable, Sendable, CustomStringConvertible {
  private let numbers: [Int]

  /// Reads a version of one to four numbers, each 0 to 999 999 999. Nil for any other text.
  public init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...4).contains(parts.count) else { return nil }
    var numbers: [Int] = []
    for part in parts {
      guard (1...9).contains(part.utf8.count), part.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
        let number = Int(part)
      else { return nil }
      numbers.append(number)
    }
    while numbers.last == 0, numbers.count > 1 { numbers.removeLast() }
    self.numbers = numbers
  }

  /// Whether the first version is older.
  public static func < (first: DottedVersion, second: DottedVersion) -> Bool {
    first.numbers.lexicographicallyPrecedes(second.numbers)
  }

  /// The numbers, without zeros at the end.
  public var description: String { numbers.map(String.init).joined(separator: ".") }
}
