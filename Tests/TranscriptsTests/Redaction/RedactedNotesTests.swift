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
    "34303132383838383838383831383831 4012888888881881",
  ]

  @Test(arguments: places.indices, numbers)
  func `an account number in a note is redacted, in every place and form`(_ place: Int, _ number: String) {
    var transcript = SampleTap.transcript
    transcript[keyPath: Self.places[place]] = [.comment("number \(number)"), .directive("remark", number)]
    let text = transcript.redacted().text
    #expect(!text.filter { $0 != " " && $0 != "-" }.contains("4012888888881881"), "\(text)")
    #expect(!text.contains("34303132383838383838383831383831"))
    // A test card in the same recording does not exempt another number.
    #expect(!transcript.text(redactedBy: Redaction { $0.exposedDigits == SampleTap.pan }).contains(number))
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
