import CardExploration
import ISO7816
import Octets
import ProgramSupport

extension Console {
  /// The status word at the end of a response: green for 9000, yellow for a warning, red for a refusal.
  ///
  /// - Parameter missing: The text for a response that never came.
  static func status(of response: [UInt8]?, missing: String) -> String {
    guard let response, let parsed = try? ResponseAPDU(parsing: response.span) else { return coloured(missing, .red) }
    let colour: Colour = parsed.status.rawValue == 0x9000 ? .green : parsed.status.isRefusal ? .red : .yellow
    return coloured("\(parsed.status)", colour)
  }

  /// A line of decoded bytes: faults are red, and a status word has its colour.
  static func decoded(_ line: String) -> String {
    let words = line.drop { $0 == " " }
    if words.hasPrefix("malformed: ") || words.hasPrefix("cut off: ") { return coloured(line, .red) }
    guard words.hasPrefix("SW: "), let octets = try? [UInt8](hex: String(words.dropFirst(4).prefix(4))) else {
      return line
    }
    return line.prefix(line.count - words.count) + "SW: " + status(of: octets, missing: "") + words.dropFirst(8)
  }
}
