import ISO7816
import Octets
import Testing

@Suite("Composing commands")
struct CommandAPDUTests {
  static let refused: [(Int, Int?, CommandAPDU.Form?, APDUError)] = [
    (256, nil, .short, APDUError(.dataTooLong(limit: 255), count: 256)),
    (65536, nil, nil, APDUError(.dataTooLong(limit: 65535), count: 65536)),
    (65536, nil, .extended, APDUError(.dataTooLong(limit: 65535), count: 65536)),
    (0, 0, nil, APDUError(.expectedLengthOutOfRange(0, limit: 256), count: 0)),
    (0, -1, nil, APDUError(.expectedLengthOutOfRange(-1, limit: 256), count: 0)),
    (0, 257, .short, APDUError(.expectedLengthOutOfRange(257, limit: 256), count: 0)),
    (0, 65537, nil, APDUError(.expectedLengthOutOfRange(65537, limit: 65536), count: 0)),
    (3, .max, .extended, APDUError(.expectedLengthOutOfRange(.max, limit: 65536), count: 3)),
  ]

  @Test(arguments: refused)
  func `data or lengths beyond the form are a typed error`(
    _ nc: Int, _ ne: Int?, _ form: CommandAPDU.Form?, _ expected: APDUError
  ) {
    #expect(throws: expected) {
      try CommandAPDU(
        cla: 0, ins: 0, p1: 0, p2: 0, data: [UInt8](repeating: 0, count: nc), expectedLength: ne, form: form)
    }
  }

  static let chosen: [(Int, Int?, CommandAPDU.Form)] = [
    (0, nil, .short), (255, nil, .short), (256, nil, .extended), (0, 256, .short), (0, 257, .extended),
    (255, 256, .short), (255, 257, .extended), (256, 1, .extended),
  ]

  @Test(arguments: chosen)
  func `the short form is used when it fits`(_ nc: Int, _ ne: Int?, _ form: CommandAPDU.Form) throws {
    let data = [UInt8](repeating: 1, count: nc)
    #expect(try CommandAPDU(cla: 0, ins: 0, p1: 0, p2: 0, data: data, expectedLength: ne).form == form)
  }

  @Test func `A header alone has one form`() throws {
    let extended = try CommandAPDU(cla: 1, ins: 2, p1: 3, p2: 4, form: .extended)
    #expect(extended.encoded == [1, 2, 3, 4])
    #expect(try extended == CommandAPDU(cla: 1, ins: 2, p1: 3, p2: 4))
  }

  @Test func `changing Le changes the form only when Le does not fit it`() throws {
    let command = CommandAPDU.select(name: [0xA0, 0, 0, 0, 3])
    #expect(command.with(expectedLength: 8).encoded.hex == "00A4040005A00000000308")
    #expect(command.with(expectedLength: 256).encoded == command.encoded)
    #expect(command.with(expectedLength: 300).encoded.hex == "00A40400000005A000000003012C")
  }

  static let interindustry: [(CommandAPDU, String)] = [
    (.select(name: [UInt8]("2PAY.SYS.DDF01".utf8)), "00A404000E325041592E5359532E444446303100"),
    (.select(name: [0xA0, 0, 0, 0, 3], nextOccurrence: true), "00A4040205A00000000300"),
    (.readRecord(2, sfi: 1), "00B2020C00"), (.readRecord(1, sfi: 12), "00B2016400"),
    (.readRecord(255, sfi: 30), "00B2FFF400"), (.getResponse(expectedLength: 16), "00C0000010"),
    (.getResponse(expectedLength: 256), "00C0000000"), (.getResponse(expectedLength: 0), "00C0000001"),
    (.getResponse(expectedLength: 70000), "00C0000000"), (.getData(0x9F36), "80CA9F3600"),
  ]

  @Test(arguments: interindustry)
  func `the interindustry commands have the bytes of the books`(_ command: CommandAPDU, _ hex: String) throws {
    #expect(command.encoded.hex == hex)
    #expect(try command == CommandAPDU(parsing: command.encoded.span))
  }

  @Test func `A short file identifier outside 1...30 and a name longer than a short command trap`() async {
    await #expect(processExitsWith: .failure) { _ = CommandAPDU.readRecord(1, sfi: 0) }
    await #expect(processExitsWith: .failure) { _ = CommandAPDU.readRecord(1, sfi: 31) }
    await #expect(processExitsWith: .failure) { _ = CommandAPDU.select(name: [UInt8](repeating: 1, count: 256)) }
  }

  @Test func `errors are sentences with value and limit`() {
    let errors: [(APDUError, String)] = [
      (APDUError(.tooShort(minimum: 4), count: 3), "3 bytes: an APDU of this kind has at least 4"),
      (
        APDUError(.lengthMismatch(stated: 2, following: 1), count: 6),
        "the length field states 2 bytes of data, but 1 byte follow"
      ),
      (APDUError(.truncatedLength, count: 6), "6 bytes: the extended length field is cut off"),
      (APDUError(.zeroLength, count: 8), "an extended length field of zero has no meaning before data"),
      (APDUError(.dataTooLong(limit: 255), count: 256), "256 bytes of data: the limit is 255"),
      (
        APDUError(.expectedLengthOutOfRange(0, limit: 256), count: 0), "expected length 0: the range is 1...256"
      ),
    ]
    for (error, sentence) in errors { #expect(error.description == sentence) }
  }
}
