internal import EMVData
internal import ISO7816
internal import Links
internal import Octets

extension Transcript.Note {
  /// Reads a line that begins with `#`, and checks it.
  init(line: String, number: Int) throws(TranscriptError) {
    let isDirective = line.utf8.starts(with: "#@".utf8)
    let body = line.utf8.dropFirst(isDirective ? 2 : 1)
    let text = String(decoding: body, as: UTF8.self)
    if isDirective {
      guard let colon = text.firstIndex(of: ":"), let key = Transcript.Key(rawValue: text[..<colon].trimmed) else {
        throw TranscriptError(.malformedDirective, line: number)
      }
      self = .directive(key, String(text[text.index(after: colon)...]))
    } else {
      self = .comment(text)
    }
    try check(line: number)
  }

  /// Whether a note before the first command belongs to the head. The head has the header lines, the empty comment that
  /// ends them in a dump, and all directives but those of an exchange.
  package var isOfHead: Bool {
    if let key { return !key.isOfExchange }
    return text.isEmpty || ["ATR", "PROTOCOL", "UID"].contains { header($0) != nil }
  }

  /// Checks the value of a known directive or header. Values of unknown directives are not checked.
  func check(line: Int) throws(TranscriptError) {
    guard let key else {
      guard let octets = header("ATR") ?? header("UID") else { return }
      do throws(OctetsError) {
        _ = try [UInt8](hex: octets)
      } catch {
        throw TranscriptError(.notOctets(error), line: line)
      }
      return
    }
    if key == .version, text != String(Transcript.version) {
      throw TranscriptError(.unsupportedVersion(text, supported: Transcript.version), line: line)
    }
    if let expected = Self.expectation(key, text) {
      throw TranscriptError(.directive(key, value: text, expected: expected), line: line)
    }
  }

  /// Returns what was expected when a value is invalid; nil for a valid value.
  private static func expectation(_ key: Transcript.Key, _ text: String) -> String? {
    switch key {
    case .role: Transcript.Role(rawValue: text) == nil ? "terminal or card is expected" : nil
    case .clock: TransactionMoment(text) == nil ? "a time such as 2026-01-31T12:34:56 is expected" : nil
    case .random: (try? [UInt8](hex: text)) == nil ? "bytes in hexadecimal are expected" : nil
    case .amount: (try? Amount(text, exponent: 4)) == nil ? "an amount such as 12.34 is expected" : nil
    case .currency: isDigits(text, 3) ? nil : "three digits are expected"
    case .type: (try? [UInt8](hex: text).count) == 1 ? nil : "two hexadecimal digits are expected"
    case .exchangeCount, .end:
      (0...Transcript.maximumExchangeCount).contains(Int(text) ?? -1)
        ? nil : "a number from 0 to \(Transcript.maximumExchangeCount) is expected"
    case .transactionCounter: UInt16(text) == nil ? "a number from 0 to 65535 is expected" : nil
    case .instant, .time: (Int64(text) ?? -1) >= 0 ? nil : "nanoseconds from 0 to \(Int64.max) are expected"
    case .field:
      RecordedFieldEvent(Transcript.Note.directive(key, text)) == nil
        ? "powered, reset, deselected or lost is expected, then nanoseconds or nothing" : nil
    case .varies: RecordedTags.tags(in: text) == nil ? "tags such as 9F37 9A are expected" : nil
    case .torn: LinkError.Code(rawValue: text) == nil ? "the reason of a link error is expected" : nil
    default: nil
    }
  }

  private static func isDigits(_ text: String, _ count: Int) -> Bool {
    text.utf8.count == count && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}
