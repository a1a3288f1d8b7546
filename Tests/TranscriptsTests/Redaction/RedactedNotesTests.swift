import EMVData
import ISO7816
import Octets
import Testing
import Transcripts

/// Comments and directives beside the exchanges.
@Suite("Redaction of notes")
struct RedactedNotesTests {
  /// Transcripts with a note in each possible place.
  static var places: [WritableKeyPath<Transcript, [Transcript.Note]>] {
    [\.notes, \.closingNotes, \.exchanges[0].notes, \.exchanges[0].responseNotes]
  }
  static let numbers = [
    "4012888888881881", "4012 8888 8888 1881", "4012-8888-8888-1881", "B4012888888881881^", "4012888888881881D2212",
    "4012888888881881d2212", "b4012888888881881^", "4012888888881881F", "4012888888881881f", "3 4012888888881881",
    "34303132383838383838383831383831 4012888888881881", "card4012888888881881", "x4012888888881881y",
    "no_4012888888881881_", "4012.8888.8888.1881", "4012/8888/8888/1881", "/cards/4012888888881881.txt",
    "a.4012888888881881/b", "40:12:88:88:88:88:18:81", "40_12_88_88_88_88_18_81",
  ]

  @Test(arguments: places.indices, numbers)
  func `an account number in a note is redacted, in every place and form`(_ place: Int, _ number: String) {
    var transcript = SampleTap.transcript
    transcript[keyPath: Self.places[place]] = [.comment("number \(number)"), .directive("remark", number)]
    let text = transcript.redacted().text
    #expect(!text.filter { !" -./:_".contains($0) }.contains("4012888888881881"), "\(text)")
    #expect(!text.contains("34303132383838383838383831383831"))
    // A test card in the same recording does not exempt another number.
    #expect(!transcript.text(redactedBy: Redaction { $0.exposedDigits == SampleTap.pan }).contains(number))
  }

  static let tracks = [
    ("%B4012888888881881^ROE/JANE^2212201987654?", "%B9999900000000013^XXXXXXXX^2212201000000?"),
    (";4012888888881881=22122011438044?", ";9999900000000013=22122010000000?"),
    ("4012888888881881D22122011438044F", "9999900000000013D22122010000000F"),
    ("Jane Roe, B4012888888881881^ROE/JANE^2212", "XXXXXXXX, B9999900000000013^XXXXXXXX^2212"),
    (
      "34303132383838383838383831383831" + "3D32323132323031" + "39383736",
      "39393939393030303030303030303133" + "3D32323132323031" + "30303030"
    ),
  ]

  @Test(arguments: tracks)
  func `the name and the discretionary data of a track in a note are redacted`(_ note: String, _ redacted: String) {
    var transcript = Transcript(exchanges: [Transcript.Exchange(command: [0, 0xA4, 4, 0], response: [0x6A, 0x82])])
    transcript.closingNotes = [.comment(note)]
    #expect(transcript.redacted().closingNotes == [.comment(redacted)])
  }

  static let secretCommands = [
    ("sent 0020008008241234FFFFFFFFFF", "sent 00200080080000000000000000"),
    ("> 00 20 00 80 08 24 12 34 FF FF FF FF FF", "> 00 20 00 80 08 00 00 00 00 00 00 00 00"),
    ("00:20:00:80:08:24:12:34:FF:FF", "00:20:00:80:08:00:00:00:00:00"),
    ("84240002080123456789ABCDEF", "84240002080000000000000000"),
    ("00A4040007A0000000031010", "00A4040007A0000000031010"),
  ]

  @Test(arguments: secretCommands)
  func `the PIN of a command in a note is blanked, also in a recording of a test card`(
    _ note: String, _ blanked: String
  ) {
    var transcript = SampleTap.transcript
    transcript.closingNotes = [.comment(note)]
    for redaction in [Redaction.complete, Redaction { _ in true }] {
      #expect(transcript.redacted(by: redaction).closingNotes == [.comment(blanked)])
    }
  }

  @Test func `times, identifiers and the answer to reset in comments stay`() throws {
    let text = """
      # ATR: 3B8880010000000033818100AB
      # at 2026-11-28 16:53:49.123, 20261128 165349, 1769862896123 ms, id 3F2504E0-4F89-11D3-9A0C-0305E82C3301
      00A40400
      6A82

      """
    #expect(try Transcript(parsing: text).redacted() == Transcript(parsing: text))
  }

  /// The values that a terminal had to send around the 29th of November 2026: the three dates together have 18 digits, the first
  /// of a scheme, and a valid check digit.
  @Test func `the values of a list are searched apart, so that three dates are no account number`() {
    var transcript = SampleTap.transcript
    transcript[.entered] = "5F2A 0978 9A 261128,261129,261130 9C 00 9F02 000000001234"
    #expect(AccountNumberSearch.numbers(inText: Array("261128,261129,261130".utf8), .note).count == 1)
    #expect(transcript.redacted()[.entered] == transcript[.entered])
    #expect(transcript.redacted(by: Redaction { $0.exposedDigits == SampleTap.pan }) == transcript)
    transcript[.entered] = "9F02 000000001234 57 4012888888881881"
    #expect(transcript.redacted()[.entered] != transcript[.entered])
  }

  /// Data objects as a log may print them outside of exchanges: an element, a record, a response, a track.
  static let dataObjects = [
    "5A084012888888881881", "received 70115a0840128888888818815f2004444f4545", "5A0840128888888818819000.",
    "57134012888888881881D30122011143878089000F",
  ]

  @Test(arguments: places.indices, dataObjects)
  func `an account number in data objects in a note is redacted, in every place`(_ place: Int, _ hexadecimal: String) {
    var transcript = SampleTap.transcript
    transcript[keyPath: Self.places[place]] = [.comment(hexadecimal), .directive("remark", hexadecimal)]
    let text = transcript.redacted().text
    #expect(!text.contains("4012888888881881") && !text.lowercased().contains("444f4545"), "\(text)")
  }

  @Test(arguments: places.indices)
  func `the cardholder name is redacted in every place, also as bytes in small letters`(_ place: Int) {
    var transcript = SampleTap.transcript
    transcript[keyPath: Self.places[place]] = [
      .comment("of DOE/J, 444F452F4A, 444f452f4a"), .directive(.outcome, "paid by DOE/J"),
      .directive("host", "approved DOE/J"),
    ]
    let text = transcript.redacted().text
    for name in ["DOE/J", "444F452F4A", "444f452f4a"] { #expect(!text.contains(name), "\(text)") }
  }

  @Test func `names of four characters are redacted in text, shorter names are not`() throws {
    for (name, isLookedFor) in [("ANNA", true), ("ANN", false)] {
      let value = Array(name.utf8).hex
      var transcript = Transcript(exchanges: [
        Transcript.Exchange(
          command: [0x00, 0xB2, 0x01, 0x0C, 0x00],
          response: try [UInt8](hex: RedactionEdgeTests.record("5F20" + UInt8(name.count).hex + value).1))
      ])
      transcript.closingNotes = [.comment("ANNA")]
      #expect(transcript.redacted().closingNotes == [.comment(isLookedFor ? "XXXX" : "ANNA")])
    }
  }

  @Test func `a name is found without the spaces that fill its data element`() throws {
    let name = "5F200A" + RedactionEdgeTests.text("DOE/J     ")
    let pair = RedactionEdgeTests.record(name)
    var transcript = Transcript(exchanges: [
      Transcript.Exchange(command: try [UInt8](hex: pair.0), response: try [UInt8](hex: pair.1))
    ])
    transcript.closingNotes = [.comment("paid by DOE/J today")]
    #expect(transcript.redacted().closingNotes == [.comment("paid by XXXXX today")])
  }
}
