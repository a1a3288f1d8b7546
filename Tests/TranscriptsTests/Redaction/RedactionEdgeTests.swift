import EMVData
import ISO7816
import Octets
import Testing
import Transcripts

/// Redaction of every data element, and of numbers that are a part of a field.
@Suite("Redaction of data elements")
struct RedactionEdgeTests {
  static func record(_ elements: String) -> (String, String) {
    ("00B2010C00", "70" + UInt8(elements.count / 2).hex + elements + "9000")
  }

  static func text(_ text: String) -> String { Array(text.utf8).hex }

  static let kernels: [ContactlessKernel?] = [nil] + ContactlessKernel.allCases
  static let cardholderData = Set(
    kernels.flatMap { kernel in (kernel.map { DataElement.all(of: $0) } ?? DataElement.all).filter(\.isCardholderData) }
      .map(\.tag)
  ).sorted()

  @Test(arguments: cardholderData)
  func `every data element with cardholder data is redacted`(_ tag: ISO7816.Tag) throws {
    for value in ["313233", "414243"] {
      let element = tag.encoded.hex + "03" + value
      let redacted = try RedactionTests.redacted([Self.record(element)])[1]
      #expect(redacted.count == element.count + 8)
      #expect(!redacted.contains(value), "\(tag): \(redacted)")
    }
  }

  @Test func `the dictionary has data elements with cardholder data`() {
    #expect(Self.cardholderData.count >= 14)
  }

  static let elements: [(String, String)] = [
    ("9F200431323334", "9F200430303030"),
    // A list of tags is not a membership number.
    ("9F5B04DF608108", "9F5B04DF608108"),
    // Runs of digits in buffers and in the life cycle data of a card.
    ("DF810406123456789012", "DF810406123456789012"), ("DF8104071234567890123A", "DF8104070000000000000A"),
    ("9F7F071234567890123A", "9F7F070000000000000A"), ("9F10071234567890123A", "9F10071234567890123A"),
    // Twelve digits are not an account number, wherever the run begins.
    ("DF2007A1234567890123", "DF2007A0000000000000"), ("DF2007AA123456789012", "DF2007AA123456789012"),
    // Track 2 with eight and nine digits after the separator, and with an impossible number.
    ("570D4761739001010010D221220198", "570D9999900000000013D221220100"),
    ("570D4761739001010010D22122019F", "570D9999900000000013D22122010F"),
    ("57054761730DD2", "57050000000000"),
    // Track 1: expiry date and service code stay, everything after them is redacted.
    (
      "5620" + text("B4761739001010010^A B^2212201987"), "5620" + text("B9999900000000013^XXX^2212201000")
    ),
    ("5604425E4142", "560400000000"),
  ]

  @Test(arguments: elements)
  func `each data element is redacted and keeps its length`(_ element: String, _ redacted: String) throws {
    #expect(try RedactionTests.redacted([Self.record(element)])[1] == Self.record(redacted).1)
  }

  @Test(arguments: ["5A08#", "570C#D2212201", "9F6B0C#D2212201"])
  func `an account number in any data element is redacted everywhere`(_ holder: String) throws {
    let element = holder.replacing("#", with: SampleTap.pan)
    // The same number in an unrelated element, starting in the middle of a byte.
    let spread = "9F1009A" + SampleTap.pan + "F"
    let redacted = try RedactionTests.redacted([Self.record(element + spread)])[1]
    #expect(!redacted.contains(SampleTap.pan))
    #expect(redacted.hasSuffix("9F1009A" + RedactionTests.substitute + "F9000"))
  }

  @Test func `number and name of track 1 are redacted everywhere`() throws {
    let track = Array("B4761739001010010^ANN/B ^2212".utf8).hex
    let written = Array(SampleTap.pan.utf8).hex
    var transcript = Transcript(exchanges: [
      Transcript.Exchange(
        command: [0x00, 0xB2, 0x01, 0x0C, 0x00],
        response: try [UInt8](hex: "7032" + "561D" + track + "9F1010" + written + "9000"))
    ])
    transcript.closingNotes = [.comment("ANN/B: \(SampleTap.pan)")]
    let redacted = transcript.redacted()
    #expect(redacted.closingNotes == [.comment("XXXXX: \(RedactionTests.substitute)")])
    #expect(!redacted.text.contains(written) && redacted.text.contains("9F1010"))
  }

  @Test func `a name without an account number is redacted`() throws {
    let pair = Self.record("5F20044142434450024142")
    let lines = try RedactionTests.redacted([pair], by: Redaction { _ in true })
    #expect(lines[1] == Self.record("5F20045858585850024142").1)
  }

  @Test func `an existing substitute is not used for another number`() throws {
    let pairs = [Self.record("5A084761739001010010"), Self.record("5A08" + RedactionTests.substitute)]
    let lines = try RedactionTests.redacted(pairs)
    #expect(lines[3] == pairs[1].1)
    #expect(lines[1].hasPrefix("700A5A0899999") && lines[1] != lines[3])
  }

  @Test func `a number that begins with 99999 is a substitute only with a valid check digit`() throws {
    #expect(
      try RedactionTests.redacted([Self.record("5A089999900000000014")])[1] != Self.record("5A089999900000000014").1)
    #expect(
      try RedactionTests.redacted([Self.record("5A089999900000000013")])[1] == Self.record("5A089999900000000013").1)
    #expect(
      try RedactionTests.redacted([Self.record("5A080000000000000000")])[1] == Self.record("5A080000000000000000").1)
  }

  @Test func `numbers of 13 digits are redacted everywhere, of 12 in their own data element only`() throws {
    let written = "4222222222222"
    var transcript = Transcript(exchanges: [
      Transcript.Exchange(
        command: [0x00, 0xB2, 0x01, 0x0C, 0x00], response: try [UInt8](hex: Self.record("5A07\(written)F").1))
    ])
    transcript.closingNotes = [.comment("about x\(written)x")]
    #expect(!transcript.redacted().text.contains(written))
    let short = try RedactionTests.redacted([Self.record("5A06501234567890" + "9F1006501234567890")])[1]
    #expect(!short.contains("5A06501234567890") && short.contains("9F1006501234567890"))
  }

  @Test func `a number is not replaced within a longer number`() throws {
    let long = "4222222222222345678"
    var transcript = Transcript(
      exchanges: try [Self.record("5A074222222222222F"), Self.record("5A0A\(long)F")].map {
        Transcript.Exchange(command: try [UInt8](hex: $0.0), response: try [UInt8](hex: $0.1))
      })
    transcript.closingNotes = [.comment("x\(long)x")]
    let note = try #require(transcript.redacted().closingNotes.first)
    #expect(note.text.hasPrefix("x99999") && !note.text.contains("345678"))
  }

  @Test func `an account number in a command is redacted`() throws {
    let lines = try RedactionTests.redacted([("00E20000084012888888881881", "9000")])
    #expect(lines[0] == "00E20000080000000000000000")
  }

  @Test func `101 numbers have 101 substitutes`() throws {
    let pairs = (0...100).map { Self.record("5A08" + "47617390010\(10000 + $0)") }
    let lines = try RedactionTests.redacted(pairs)
    let answers = stride(from: 1, to: lines.count, by: 2).map { lines[$0] }
    #expect(Set(answers).count == 101)
    #expect(answers.allSatisfy { $0.hasPrefix("700A5A0899999") })
  }

  @Test(arguments: [
    "70045F2401227003500141", "5F20044142434400", "0070065F200341424300", "70065F2003414243770350014100",
  ])
  func `a record that is not exactly one template becomes zeros`(_ data: String) throws {
    #expect(
      try RedactionTests.redacted([("00B2010C00", data + "9000")])[1] == String(repeating: "0", count: data.count)
        + "9000")
  }

  @Test func `a response of several parts is redacted, also without a status word or with an error`() throws {
    let lines = try RedactionTests.redacted([
      ("00B2010C00", "700A5A0847616104"), ("00C0000004", "739001016102"), ("00C0000002", "00109000"),
      ("00B2020C00", "700A5A08476173900101001063C1"), ("00B2030C00", "700A5A084761739001010010"),
    ])
    #expect(lines[1] == "700A5A0899996104" && lines[3] == "900000006102" && lines[5] == "00139000")
    #expect(lines[7] == "700A5A08999990000000001363C1")
    #expect(lines[9].contains("4761") == false && lines[9].count == 24)
  }
}
