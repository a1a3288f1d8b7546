import ISO7816
import Octets
import Testing

// R56.
@Suite("Putting a response together")
struct ResponseAssemblyTests {
  typealias Transport = ResponseAssembly.Transport

  /// Plays answers to a command, and gives what was sent after it and what came out.
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
    // Command; answers; what is sent after it; the whole.
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
    // GET RESPONSE itself gets a wrong Le.
    (gpo, ["6110", "6C04", "AABBCCDD9000"], ["00C0000010", "00C0000004"], "AABBCCDD9000"),
    // A wrong Le that is corrected to what has to be fetched.
    ("00B2010C00", ["6C1C", "611C", "AA9000"], ["00B2010C1C", "00C000001C"], "AA9000"),
    // A command without Le gets one.
    ("00820000", ["6C04", "AABBCCDD9000"], ["0082000004"], "AABBCCDD9000"),
    // Data with 6Cxx are an answer, not a correction.
    (gpo, ["AA6C04"], [], "AA6C04"),
    // Remarks come with their data.
    (gpo, ["AA6283"], [], "AA6283"),
    (gpo, ["6283"], [], "6283"),
    (gpo, ["63C2"], [], "63C2"),
  ]

  @Test(arguments: cases)
  func `In blocks, 61xx is followed by GET RESPONSE and 6Cxx by the same command`(
    _ command: String, _ answers: [String], _ sent: [String], _ whole: String
  ) throws {
    let result = try play(CommandAPDU(hex: command), answers)
    #expect(result.sent == sent)
    #expect(result.whole?.encoded.hex == whole)
  }

  static let characterCases: [(String, [String], [String], String)] = [
    // A remark without data on a command with data and Le: they are fetched, and the remark stays.
    (gpo, ["6286", "AA9000"], ["00C0000000"], "AA6286"),
    (gpo, ["6286", "6C26", "AA9000"], ["00C0000000", "00C0000026"], "AA6286"),
    (gpo, ["6300", "AA6301"], ["00C0000000"], "AA6301"),
    (gpo, ["6286", "6581"], ["00C0000000"], "6581"),
    (gpo, ["6286", "6286"], ["00C0000000"], "6286"),
    // Not for a command without data, without Le, with data in hand, or for a counter.
    ("00B2010C00", ["6282"], [], "6282"),
    ("0082000002AABB", ["6300"], [], "6300"),
    (gpo, ["AA6286"], [], "AA6286"),
    (gpo, ["63C2"], [], "63C2"),
  ]

  @Test(arguments: characterCases)
  func `In characters, GET RESPONSE also follows a remark without data`(
    _ command: String, _ answers: [String], _ sent: [String], _ whole: String
  ) throws {
    let result = try play(CommandAPDU(hex: command), answers, .characters)
    #expect(result.sent == sent)
    #expect(result.whole?.encoded.hex == whole)
  }

  @Test(arguments: [Transport.blocks, .characters])
  func `A card that never stops correcting Le ends in an error`(_ transport: Transport) throws {
    let limit = ResponseAssembly.maximumLengthCorrections
    let command = CommandAPDU.readRecord(1, sfi: 1)
    let allowed = try play(command, [String](repeating: "6C04", count: limit), transport)
    #expect(allowed.sent.count == limit)
    #expect(throws: ResponseAssemblyError.wrongLengthRepeated(limit: limit)) {
      try play(command, [String](repeating: "6C04", count: limit + 1), transport)
    }
  }

  @Test func `Corrections are counted for each part by itself`() throws {
    let part = [String](repeating: "6C04", count: ResponseAssembly.maximumLengthCorrections) + ["AA6104"]
    let result = try play(.readRecord(1, sfi: 1), part + part + part + ["9000"])
    #expect(result.whole?.encoded.hex == "AAAAAA9000")
  }

  @Test func `A card that never stops announcing more ends in an error`() throws {
    let limit = ResponseAssembly.maximumParts
    let command = CommandAPDU.readRecord(1, sfi: 1)
    let allowed = try play(command, [String](repeating: "6101", count: limit) + ["9000"])
    #expect(allowed.sent.count == limit)
    #expect(throws: ResponseAssemblyError.tooManyParts(limit: limit)) {
      try play(command, [String](repeating: "6101", count: limit + 1))
    }
  }

  @Test func `The whole may be 65536 octets and not one more`() throws {
    let part = String(repeating: "AA", count: 256)
    let full = [String](repeating: part + "6100", count: 255) + [part + "9000"]
    #expect(try play(.readRecord(1, sfi: 1), full).whole?.data.count == 65536)
    let limit = ResponseAssembly.maximumDataCount
    #expect(throws: ResponseAssemblyError.tooLong(count: limit + 1, limit: limit)) {
      try play(.readRecord(1, sfi: 1), Array(full.dropLast()) + [part + "AA9000"])
    }
  }

  @Test func `Errors are sentences with the limit`() {
    #expect(ResponseAssemblyError.wrongLengthRepeated(limit: 2).description.contains("2 times"))
    #expect(ResponseAssemblyError.tooManyParts(limit: 256).description.contains("256 times"))
    #expect(ResponseAssemblyError.tooLong(count: 9, limit: 8).description.contains("9 octets: the limit is 8"))
  }
}
