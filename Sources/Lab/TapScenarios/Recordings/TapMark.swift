public import Transcripts

/// Which tap of which scenario a recording of a test has.
public struct TapMark: Hashable, Sendable, CustomStringConvertible {
  /// The identifier of the scenario.
  public let test: String
  /// The number of the tap, as text.
  public let tap: String

  /// Creates a mark.
  public init(test: String, tap: String) { (self.test, self.tap) = (test, tap) }

  /// The mark of a recording; nil for one that is no recording of a test.
  public init?(_ transcript: Transcript) {
    guard let test = transcript[.test], let tap = transcript[.tap] else { return nil }
    self.init(test: test, tap: tap)
  }

  /// The mark of a recording that cannot be read as a whole; nil for a file that does not begin as the recordings of this
  /// project do, and for one without the mark.
  ///
  /// - Parameter octets: The content of the file.
  public init?(searching octets: [UInt8]) {
    // Like the parser: ignores a byte order mark, empty lines, and white space around a line.
    let content = octets.starts(with: Self.byteOrderMark) ? octets.dropFirst(Self.byteOrderMark.count) : octets[...]
    let lines = content.split(separator: 0x0A).map { Self.trimmed(String(decoding: $0, as: UTF8.self)) }
    guard lines.first(where: { !$0.isEmpty })?.hasPrefix(Self.beginning) == true else { return nil }
    var values: [Transcript.Key: String] = [:]
    for text in lines {
      for key in [Transcript.Key.test, .tap] where values[key] == nil && text.hasPrefix("#@ \(key.rawValue): ") {
        values[key] = String(text.dropFirst("#@ \(key.rawValue): ".count))
      }
    }
    guard let test = values[.test], let tap = values[.tap] else { return nil }
    self.init(test: test, tap: tap)
  }

  private static let beginning = "#@ contactless-transcript:"
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private static func trimmed(_ line: String) -> Substring {
    let text = line.drop(while: \.isWhitespace)
    return text.lastIndex { !$0.isWhitespace }.map { text[...$0] } ?? ""
  }

  /// Such as `K3-01, tap 1`.
  public var description: String { "\(test), tap \(tap)" }
}

extension ScenarioFile {
  /// The mark of a tap of this scenario; nil for a scenario without an identifier.
  ///
  /// - Parameter number: The number of the tap, from 1.
  public func mark(ofTap number: Int) -> TapMark? {
    scenario.packTest.map { TapMark(test: $0.id, tap: String(number)) }
  }
}
