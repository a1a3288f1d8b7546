import ISO7816
import Octets
import Testing

@Suite("Response assembly")
struct ResponseAssemblyTests {
  typealias Transport = ResponseAssembly.Transport

  /// Feeds responses to a command and returns the commands sent after it and the assembled response.
  private func play(
    _ command: CommandAPDU, _ answers: [String], _ transport: Transport = .blocks
  ) throws -> (sent: [String], whole: ResponseAPDU?) {
    var assembly = ResponseAssembly(command: command, transport: transport)
    var sent: [String] = []
    for (index, answer) in answers.enumerated() {
      switch try assembly.receive(ResponseAPDU(hex: answer)) {
      case .transmit(let next): sent.append(next.encoded.hex)
      case .complete(let whole):
        try #require(index == answers.count - 1, "complete before answer \(index + 2) of \(answers.count)")
        return (sent, whole)
      }
    }
    return (sent, nil)
  }

  static let gpo = "80A8000002830000"

  static let cases: [(String, [String], [String], String)] = [
    // Command; responses; commands sent after it; assembled response.
    (gpo, ["9000"], [], "9000"),
    (gpo, ["6985"], [], "6985"),
    (gpo, ["AABB9000"], [], "AABB9000"),
    (gpo, ["6110", "AABB9000"], ["00C0000010"], "AABB9000"),
    (gpo, ["6C08", "AABB9000"], ["80A8000002830008"], "AABB9000"),
    (gpo, ["6100", "AA9000"], ["00C0000000"], "AA9000"),
    (gpo, ["6C00", "AA9000"], ["80A8000002830000"], "AA9000"),
    // Data before 61xx, several parts, an error in the middle.
    (gpo, ["AA6102", "BB6101", "CC9000"], ["00C0000002", "00C0000001"], "AABBCC9000"),
    (gpo, ["AA6102", "6581"], ["00C0000002"], "AA6581"),
    // GET RESPONSE itself has a wrong Le.
    (gpo, ["6110", "6C04", "AABBCCDD9000"], ["00C0000010", "00C0000004"], "AABBCCDD9000"),
    // A wrong Le that is corrected to the length that must be fetched.
    ("00B2010C00", ["6C1C", "611C", "AA9000"], ["00B2010C1C", "00C000001C"], "AA9000"),
    // A command without Le is repeated with one.
    ("00820000", ["6C04", "AABBCCDD9000"], ["0082000004"], "AABBCCDD9000"),
    // Data with 6Cxx are a response, not a correction.
    (gpo, ["AA6C04"], [], "AA6C04"),
    // Warnings come with their data.
    (gpo, ["AA6283"], [], "AA6283"),
    (gpo, ["6283"], [], "6283"),
    (gpo, ["63C2"], [], "63C2"),
  ]

  @Test(arguments: cases)
  func `in blocks, 61xx is followed by GET RESPONSE and 6Cxx by the same command`(
    _ command: String, _ answers: [String], _ sent: [String], _ whole: String
  ) throws {
    let result = try play(CommandAPDU(hex: command), answers)
    #expect(result.sent == sent)
    #expect(result.whole?.encoded.hex == whole)
  }

  static let characterCases: [(String, [String], [String], String)] = [
    // A warning without data for a command with data and Le: the data are fetched, and the warning stays.
    (gpo, ["6286", "AA9000"], ["00C0000000"], "AA6286"),
    (gpo, ["6286", "6C26", "AA9000"], ["00C0000000", "00C0000026"], "AA6286"),
    (gpo, ["6300", "AA6301"], ["00C0000000"], "AA6301"),
    (gpo, ["6286", "6581"], ["00C0000000"], "6581"),
    (gpo, ["6286", "6286"], ["00C0000000"], "6286"),
    // Not for a command without data or without Le, for a response with data, or for a counter.
    ("00B2010C00", ["6282"], [], "6282"),
    ("0082000002AABB", ["6300"], [], "6300"),
    (gpo, ["AA6286"], [], "AA6286"),
    (gpo, ["63C2"], [], "63C2"),
  ]

  @Test(arguments: characterCases)
  func `in characters, GET RESPONSE also follows a warning without data`(
    _ command: String, _ answers: [String], _ sent: [String], _ whole: String
  ) throws {
    let result = try play(CommandAPDU(hex: command), answers, .characters)
    #expect(result.sent == sent)
    #expect(result.whole?.encoded.hex == whole)
  }

  @Test(arguments: [Transport.blocks, .characters])
  func `a card that corrects Le without end is an error`(_ transport: Transport) throws {
    let limit = ResponseAssembly.maximumLengthCorrections
    let command = CommandAPDU.readRecord(1, sfi: 1)
    let allowed = try play(command, [String](repeating: "6C04", count: limit), transport)
    #expect(allowed.sent.count == limit)
    #expect(throws: ResponseAssemblyError.wrongLengthRepeated(limit: limit)) {
      try play(command, [String](repeating: "6C04", count: limit + 1), transport)
    }
  }

  @Test func `corrections of Le are counted for each part separately`() throws {
    let part = [String](repeating: "6C04", count: ResponseAssembly.maximumLengthCorrections) + ["AA6104"]
    let result = try play(.readRecord(1, sfi: 1), part + part + part + ["9000"])
    #expect(result.whole?.encoded.hex == "AAAAAA9000")
  }

  @Test func `a card that announces more data without end is an error`() throws {
    let limit = ResponseAssembly.maximumParts
    let command = CommandAPDU.readRecord(1, sfi: 1)
    let allowed = try play(command, [String](repeating: "6101", count: limit) + ["9000"])
    #expect(allowed.sent.count == limit)
    #expect(throws: ResponseAssemblyError.tooManyParts(limit: limit)) {
      try play(command, [String](repeating: "6101", count: limit + 1))
    }
  }

  @Test func `a response has at most 65 536 bytes`() throws {
    let part = String(repeating: "AA", count: 256)
    let full = [String](repeating: part + "6100", count: 255) + [part + "9000"]
    #expect(try play(.readRecord(1, sfi: 1), full).whole?.data.count == 65536)
    let limit = ResponseAssembly.maximumDataCount
    #expect(throws: ResponseAssemblyError.tooLong(count: limit + 1, limit: limit)) {
      try play(.readRecord(1, sfi: 1), Array(full.dropLast()) + [part + "AA9000"])
    }
  }

  @Test func `errors are sentences with the limit`() {
    #expect(ResponseAssemblyError.wrongLengthRepeated(limit: 2).description.contains("2 times"))
    #expect(ResponseAssemblyError.tooManyParts(limit: 256).description.contains("256 times"))
    #expect(ResponseAssemblyError.tooLong(count: 9, limit: 8).description.contains("9 bytes: the limit is 8"))
  }
}
