import ISO7816
import Octets
import Testing

@Suite("Status words")
struct StatusWordTests {
  /// The table of ISO/IEC 7816-4:2013, 5.6, written a second time as plain ranges.
  private func expected(_ value: Int) -> StatusWord.Meaning {
    let low = value % 256
    switch (value / 256, low) {
    case (0x90, 0): return .normal
    case (0x61, 0): return .bytesRemaining(256)
    case (0x61, _): return .bytesRemaining(low)
    case (0x62, _): return .warning
    case (0x63, 0xC0...0xCF): return .counter(low - 0xC0)
    case (0x63, _): return .warning
    case (0x6C, 0): return .wrongLength(available: 256)
    case (0x6C, _): return .wrongLength(available: low)
    case (0x64...0x6F, _): return .error
    default: return .other
    }
  }

  @Test func `each of the 65 536 values has a meaning, bytes and words`() {
    for value in UInt16.min ... .max {
      let status = StatusWord(rawValue: value)
      guard status.meaning == expected(Int(value)), status.rawValue == value, !status.text.isEmpty,
        status.isOK == (value == 0x9000), status.description == value.hex
      else {
        Issue.record("\(value.hex) reads as \(status.meaning), \(status.text)")
        return
      }
    }
  }

  @Test func `every meaning with a number gives the value it came from`() {
    var carried = 0
    for value in UInt16.min ... .max {
      let status = StatusWord(rawValue: value)
      switch status.meaning {
      case .normal, .bytesRemaining, .counter, .wrongLength:
        carried += 1
        #expect(StatusWord(status.meaning) == status)
      case .warning, .error, .other:
        #expect(StatusWord(status.meaning) == nil)
      }
    }
    #expect(carried == 1 + 256 + 16 + 256)
  }

  static let outOfRange: [StatusWord.Meaning] = [
    .bytesRemaining(0), .bytesRemaining(257), .bytesRemaining(-1), .counter(16), .counter(-1),
    .wrongLength(available: 0), .wrongLength(available: 257), .wrongLength(available: .max),
  ]

  @Test(arguments: outOfRange)
  func `a number out of range gives no status word`(_ meaning: StatusWord.Meaning) {
    #expect(StatusWord(meaning) == nil)
  }

  static let words: [(StatusWord, String)] = [
    (.ok, "normal processing"), (StatusWord(rawValue: 0x6110), "16 bytes available"),
    (StatusWord(rawValue: 0x63C2), "counter 2"), (StatusWord(rawValue: 0x6C00), "wrong Le, 256 bytes available"),
    (.notFound, "file or application not found"), (StatusWord(rawValue: 0x6A99), "wrong parameters"),
    (StatusWord(rawValue: 0x6286), "warning, state unchanged"), (StatusWord(rawValue: 0x9123), "proprietary status"),
    (StatusWord(rawValue: 0x0000), "proprietary status"),
  ]

  @Test(arguments: words)
  func `a value without words of its own has the words of its family`(_ status: StatusWord, _ text: String) {
    #expect(status.text == text)
  }

  @Test func `A response is its data and two bytes`() throws {
    let response = try ResponseAPDU(hex: "6F00 9000")
    #expect(response == ResponseAPDU(data: [0x6F, 0x00], status: .ok))
    #expect(response.encoded.hex == "6F009000")
    #expect(try ResponseAPDU(hex: "6985") == ResponseAPDU(status: .conditionsNotSatisfied))
    for count in 0..<2 {
      let octets = [UInt8](repeating: 0x90, count: count)
      #expect(throws: APDUError(.tooShort(minimum: 2), count: count)) { try ResponseAPDU(parsing: octets.span) }
    }
  }
}
