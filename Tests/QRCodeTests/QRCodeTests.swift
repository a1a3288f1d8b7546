import Foundation
import QRCode
import TestSupport
import Testing

@Suite("QR codes", .blocks, .timeLimit(.minutes(20)))
struct QRCodeTests {
  static let texts = [
    "1", "HELLO WORLD 42", "https://localhost:8443/login?dispatchTokenResponse=eyJubWFfZGF0YSI6e319",
    "Überweisung 12,50 € an 東京 🗼", String(repeating: "0", count: maximumTextSize), "line one\nline two\u{0}\t",
  ]

  @Test(arguments: texts)
  func `a text that was drawn is read again`(_ text: String) throws {
    #expect(try QRCode.text(inPNG: QRCode.png(of: text)) == text)
  }

  /// Small letters need the byte mode, which holds the least.
  @Test(arguments: ["", "é"])
  func `the longest text is drawn and read, and one byte more is refused`(_ start: String) throws {
    let longest = start + String(repeating: "a", count: maximumTextSize - start.utf8.count)
    #expect(try QRCode.text(inPNG: QRCode.png(of: longest)) == longest)
    #expect(throws: QRCodeError.textTooLong(bytes: maximumTextSize + 1)) { try QRCode.png(of: longest + "a") }
  }

  @Test func `an empty text is refused`() {
    #expect(throws: QRCodeError.emptyText) { try QRCode.png(of: "") }
  }

  @Test func `each error has a sentence with its value and the limit`() {
    #expect("\(QRCodeError.textTooLong(bytes: 3_000))".contains("3000 bytes"))
    #expect("\(QRCodeError.fileTooLarge(bytes: 9))".contains("\(maximumFileSize)"))
    #expect("\(QRCodeError.imageTooLarge(width: 5_000, height: 7))".contains("5000 × 7"))
  }
}
