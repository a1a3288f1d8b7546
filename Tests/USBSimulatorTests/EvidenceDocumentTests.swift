import Documents
import Testing
@testable import USBSimulator

/// The values of evidence about a reader, without a reader.
@Suite("Documents of evidence")
struct EvidenceDocumentTests {
  static let evidence: ReaderEvidence = {
    var evidence = ReaderEvidence(
      date: "2026-11-30", program: "tap 0.2.0", place: "pcsc", drivers: ["pcscd": "1.9.9-2", "libccid": "1.5.2-1"])
    evidence.descriptors = [0x12, 0x01]
    evidence.firmware = "2.07"
    evidence.card = .init(type: "A", answerToReset: [0x3B, 0x80], answerToSelect: [0x05, 0x78], identifierCount: 7)
    evidence.results = [
      .init(.descriptors, .passed, "found"), .init(.exchange, .failed, "differs", error: "cardRemoved"),
      .init(.unplug, .skipped, "by the user"),
    ]
    evidence.commands = [.init(header: [0, 0xA4, 4, 0], commandCount: 20, responseCount: 55, microseconds: [3, 1])]
    evidence.recording = ["# ATR: 3B80", "00B2010C00"]
    return evidence
  }()

  private static func parsed(_ text: String) throws(DocumentError) -> ReaderDocument {
    try ReaderDocument(parsing: Array(text.utf8))
  }

  @Test func `every reader of the catalogue is read from the descriptors of its device, and written as it is`() throws {
    for (file, document) in try USBReaderTests.CatalogueTests.documents() {
      let device = try document.device().description
      let names = device.interfaces.enumerated().compactMap { index, interface in interface.name.map { (index, $0) } }
      let read = try ReaderDocument(
        descriptors: device.descriptors, manufacturer: device.manufacturer, product: device.name,
        interfaceNames: Dictionary(uniqueKeysWithValues: names))
      #expect(read == document, "\(file)")
      var withEvidence = document
      withEvidence.evidence = Self.evidence
      #expect(try Self.parsed(withEvidence.text(origin: "test")) == withEvidence, "\(file)")
    }
  }

  @Test func `descriptors that are cut off are refused`() throws {
    let whole = SimulatedUSBDevice.known().description.descriptors
    for count in whole.indices {
      // Cut between two descriptors, the device has no interface or an interface without its endpoints.
      let cut = Result { () throws(DescriptorError) in
        try ReaderDocument(descriptors: Array(whole[..<count]), manufacturer: nil, product: nil)
      }
      if case .success(let document) = cut { #expect(document.interfaces.count == 1, "\(count)") }
    }
    #expect(throws: DescriptorError.self) {
      try ReaderDocument(descriptors: Array(whole.dropLast()), manufacturer: nil, product: nil)
    }
    #expect(throws: DescriptorError.self) {
      try ReaderDocument(descriptors: [], manufacturer: nil, product: nil)
    }
  }

  @Test func `alternate settings, further configurations and other classes are no interface of the reader`() throws {
    let reader = SimulatedUSBDevice.known().description.descriptors
    let (device, configuration) = (Array(reader.prefix(18)), Array(reader.dropFirst(18)))
    let keyboard: [UInt8] =
      [9, 4, 1, 0, 1, 3, 1, 1, 0] + [9, 0x21, 0x11, 1, 0, 1, 0x22, 63, 0] + [7, 5, 0x84, 3, 8, 0, 10]
    var alternate = Array(configuration.dropFirst(9))
    alternate[3] = 1
    let read = try ReaderDocument(
      descriptors: device + configuration + keyboard + alternate + configuration, manufacturer: "ACS", product: "R")
    #expect(read.interfaces.count == 1 && read.name == "ACS R" && read.identifier == "072f:223b")
    #expect(throws: DescriptorError.self) {
      try ReaderDocument(
        descriptors: device + [9, 2, 34, 0, 1, 1, 0, 0x80, 50] + keyboard, manufacturer: nil, product: nil)
    }
  }

  @Test func `evidence names every problem with its place`() throws {
    let text = """
      {"vendor": "04E6", "product": "5591", "release": "0100", "chip": "pn533", "evidence": {"format": "x", "version": 2,
      "date": "2026-13-01", "program": "", "place": "moon", "drivers": {"pcscd": 1}, "results": [{"step": "dance",
      "verdict": "passed", "detail": "a"}], "commands": [{"header": "00", "command": 0, "response": 2,
      "microseconds": []}], "serial": "1"}}
      """
    do throws(DocumentError) {
      _ = try Self.parsed(text)
      Issue.record("wrong evidence was read")
    } catch {
      let paths = Set(error.problems.map(\.path))
      for key in ["format", "version", "date", "program", "place", "results[0].step", "commands[0].header", "serial"] {
        #expect(paths.contains("$.evidence.\(key)"), "\(key): \(error)")
      }
    }
  }

  @Test func `evidence without a device is no device`() throws {
    var document = ReaderDocument.withoutDevice
    document.evidence = Self.evidence
    #expect(throws: DocumentError.self) { try Self.parsed(document.text(origin: "test")) }
    #expect(document.row?.hasPrefix("| a reader that is not at the USB bus | `pcsc:NAME` |") == true)
  }

  @Test func `evidence is read without its device, and a file of another kind has none`() throws {
    var document = ReaderDocument.withoutDevice
    document.evidence = Self.evidence
    #expect(try ReaderEvidence.evidence(in: Array(document.text(origin: "test").utf8)) == Self.evidence)
    for text in ["", "{}", "00A40400", #"{"evidence": 1}"#] {
      #expect(try ReaderEvidence.evidence(in: Array(text.utf8)) == nil, "\(text)")
    }
    #expect(throws: DocumentError.self) { try ReaderEvidence.evidence(in: Array(#"{"evidence": {}}"#.utf8)) }
  }

  @Test func `the time of a command is the median of its samples`() {
    var evidence = Self.evidence
    let command: [UInt8] = [0, 0xA4, 4, 0] + [UInt8](repeating: 0, count: 16)
    evidence.commands.append(.init(header: [0, 0xA4, 4, 0], commandCount: 20, responseCount: 55, microseconds: [2]))
    #expect(evidence.medianTime(of: command, responseCount: 55) == 2)
    #expect(evidence.medianTime(of: command, responseCount: 54) == nil)
    #expect(evidence.medianTime(of: Array(command.dropLast()), responseCount: 55) == nil)
  }

  @Test func `the row of the table has the reader, the date, the drivers and the results`() throws {
    var document = try #require(try USBReaderTests.CatalogueTests.documents().first { $0.file == "scm-scl011.json" })
      .reader
    #expect(document.row == nil)
    document.evidence = Self.evidence
    #expect(
      document.row == """
        | SCM Microsystems Inc. SCL01x Contactless Reader (`04e6:5293`) | `pcsc:NAME` | no | evidence of 2026-11-30, \
        firmware 2.07, libccid 1.5.2-1, pcscd 1.9.9-2: 1 of 12 steps passed; failed: exchange; skipped: unplug | 1 |
        """)
  }

  @Test func `names of readers, serial numbers and identifiers of cards are removed`() {
    var redaction = EvidenceRedaction(readerNames: ["ACS R (SN-1) 00 00", "ACS R (SN-1)"], serialNumber: "SN-1")
    redaction.cardIdentifiers = [[0x04, 0x11, 0x22, 0x33]]
    #expect(redaction.redacted("reader \"ACS R (SN-1) 00 00\": no card") == "the reader: no card")
    #expect(redaction.redacted("at ACS R (SN-1) with SN-1") == "at the reader with ")
    #expect(redaction.redacted("card 04112233 and 04112233".lowercased()) == "card  and ")
    #expect(redaction.redacted([0x78, 0x04, 0x11, 0x22, 0x33, 0x80]) == [0x78, 0, 0, 0, 0, 0x80])
    // A serial number that identifies nothing stays: it occurs by chance.
    #expect(EvidenceRedaction(readerNames: [], serialNumber: "0000").redacted("00000000") == "00000000")
  }

  @Test func `steps in which the user does something have an instruction`() {
    #expect(
      EvidenceStep.allCases.filter { $0.instruction != nil } == [.empty, .cardIn, .cardOut, .cardBack, .unplug, .plug])
    #expect(EvidenceStep.allCases.map(\.number) == Array(1...12))
  }
}
