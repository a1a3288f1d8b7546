import Foundation

/// A transcript in a temporary file, as `tap accept --record` writes one: a time before every response.
struct Recording {
  let file: URL
  /// The size of the file in octets.
  let size: Int

  init(exchanges: Int) throws {
    file = FileManager.default.temporaryDirectory.appending(path: "transcript-\(UUID().uuidString).txt")
    let answer = (0..<110).map { String(format: "%02X", ($0 * 37) & 0xFF) }.joined() + "9000"
    var text = "#@ contactless-transcript: 1\n# ATR: 3B8F8001804F0CA000000306030001000000006A\n"
    for number in 0..<exchanges {
      text += "#@ at: \(number * 1_000_000)\n00B2010C00\n#@ t: \(11_000 + number % 1_000)\n\(answer)\n"
    }
    let octets = Data(text.utf8)
    try octets.write(to: file)
    size = octets.count
  }

  func remove() { try? FileManager.default.removeItem(at: file) }
}
