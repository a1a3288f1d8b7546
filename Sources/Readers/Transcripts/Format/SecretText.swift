internal import ISO7816
internal import Octets

/// Commands with a PIN or keys in text.
enum SecretText {
  /// Returns a text with zeros for the PIN or the keys of each command in it that is written in hexadecimal, without gaps or
  /// with a space, a colon or a hyphen between two bytes.
  static func blanked(_ text: String) -> String {
    var characters = Array(text.utf8)
    for word in words(in: characters) {
      for place in secrets(in: word, of: characters) { characters[place] = 0x30 }
    }
    return String(decoding: characters, as: UTF8.self)
  }

  /// Whether a text holds such a command, or a PIN block of ISO 9564 format 2, as VERIFY has it.
  static func isHeld(in text: String) -> Bool {
    let characters = Array(text.utf8)
    return words(in: characters).contains { !secrets(in: $0, of: characters).isEmpty || holdsBlock($0, characters) }
  }

  // Class, instruction, two parameters, length, and at least one byte of the secret.
  private static let shortestCommand = 6
  private static let shortestWord = 8
  private static let longestCommand = 261
  // Other classes occur by chance more often than in a command with a secret.
  private static let classes: Set<UInt8> = [0x00, 0x10, 0x0C, 0x80, 0x84, 0x8C, 0xFF]

  /// The places of the digits of a secret in a word, which are given as the places of its hexadecimal digits.
  private static func secrets(in word: [Int], of text: [UInt8]) -> [Int] {
    var start = 0
    while start + shortestCommand * 2 <= word.count {
      let digits = word[start...].prefix(longestCommand * 2)
      let octets = octets(digits.dropLast(digits.count % 2), of: text)
      // A command that is cut off holds a secret too.
      if classes.contains(octets[0]), SecretCommands.carriesSecret(cla: octets[0], ins: octets[1]), octets[2] <= 0x02,
        octets[4] > 0
      {
        return Array(word[start...].dropFirst((shortestCommand - 1) * 2).prefix(Int(octets[4]) * 2))
      }
      start += 2
    }
    return []
  }

  /// Whether digits are a PIN block or the start of one: 2, the length of the PIN, its digits, and F up to 16 digits.
  private static func holdsBlock(_ word: [Int], _ text: [UInt8]) -> Bool {
    let digits = word.compactMap { Character(UnicodeScalar(text[$0])).hexDigitValue }
    return digits.indices.dropLast(5).contains { start in
      let block = digits[start...].prefix(16)
      guard block.first == 2, let count = block.dropFirst().first, (4...12).contains(count) else { return false }
      let rest = block.dropFirst(2)
      let fill = rest.dropFirst(count)
      return rest.count >= count && rest.prefix(count).allSatisfy { $0 <= 9 } && fill.allSatisfy { $0 == 0xF }
        && (!fill.isEmpty || count == 12)
    }
  }

  private static func octets(_ places: ArraySlice<Int>, of text: [UInt8]) -> [UInt8] {
    (try? [UInt8](hex: String(decoding: places.map { text[$0] }, as: UTF8.self))) ?? []
  }

  /// The places of the hexadecimal digits of each word.
  private static func words(in text: [UInt8]) -> [[Int]] {
    var words: [[Int]] = []
    var word: [Int] = []
    for place in text.indices {
      if Character(UnicodeScalar(text[place])).isHexDigit {
        word.append(place)
      } else if !(word.last == place - 1 && [0x20, 0x2D, 0x3A].contains(text[place])) {
        words.append(word)
        word = []
      }
    }
    return (words + [word]).filter { $0.count >= shortestWord }
  }
}
