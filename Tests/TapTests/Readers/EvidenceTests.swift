import Fixtures
import Foundation
import Links
import TestSupport
import Testing
import USBSimulator
import VirtualCard

/// `tap readers --evidence` at simulated readers under the real pcscd and libccid, with a user who does what it asks for.
@Suite("Evidence about a reader", .blocks, .serialized, .timeLimit(.minutes(10)))
struct EvidenceTests {
  /// A run of the program at a laboratory, and the end of its standard input.
  struct Run {
    let lab: LabUSBTests.Lab
    let program: ProgramRun
    let input: FileHandle

    /// - Parameter further: Arguments besides the file.
    init(at lab: LabUSBTests.Lab, _ file: String, _ further: [String] = []) throws {
      self.lab = lab
      let pipe = Pipe()
      input = pipe.fileHandleForWriting
      let high = fcntl(pipe.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 10)
      defer { close(high) }
      program = try ProgramRun(
        TapProgram.path, ["readers", "--evidence", file, "--format", "json"] + further,
        environment: lab.environment.merging(["CONTACTLESS_READER": ""]) { $1 }, descriptors: [0: high])
    }

    /// Waits until a step asks the user for something, and does it.
    func follow(_ step: EvidenceStep, _ lines: String...) throws {
      try #require(
        program.wait(timeout: .seconds(120)) { $0.output.contains(#""state":"begun","step":"\#(step.rawValue)""#) },
        "\(step): \(program.output)\(program.errors)")
      for line in lines { try lab.typeAndWait(line) }
    }

    /// Does everything that is asked for.
    ///
    /// - Parameter fault: A fault of the first response after the card was put on the reader.
    func followAll(fault: String? = nil) throws -> TapProgram.Run {
      try follow(.empty, "card out")
      if let fault { try follow(.cardIn, "fault \(fault)") }
      try follow(.cardIn, "card in")
      try follow(.cardOut, "card out")
      try follow(.cardBack, "card in")
      try follow(.unplug, "unplug")
      try follow(.plug, "plug")
      return try TapProgram.finish(program)
    }
  }

  private static func document(_ file: String) throws -> (document: ReaderDocument, text: String) {
    let octets = try Array(Data(contentsOf: URL(filePath: file)))
    return (try ReaderDocument(parsing: octets), String(decoding: octets, as: UTF8.self))
  }

  @Test(arguments: ["scm-scl011", "acr122u-picc"])
  func `the evidence of a reader loads as a device that takes a payment, and holds no number and no name`(
    _ device: String
  ) throws {
    let scratch = try Scratch()
    let file = scratch.path("reader.json")
    let lab = try LabUSBTests.Lab("--device", device)
    let run = try Run(at: lab, file).followAll()
    try lab.end()
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(try OutputSchema.refused(run.output, "readers") == "")
    let (document, text) = try Self.document(file)
    let evidence = try #require(document.evidence)
    #expect(evidence.steps(.passed) == EvidenceStep.allCases, "\(evidence.results)")
    #expect(evidence.drivers.keys.sorted() == ["libccid", "pcscd"])
    #expect(evidence.card?.type == "A" && evidence.card?.identifierCount == 4)
    #expect(evidence.commands.first?.microseconds.count == 20)
    #expect(evidence.recording.contains { $0.contains("9F36") }, "\(evidence.recording)")
    let row = try #require(document.row)
    #expect(run.output.contains("12 of 12 steps passed") && row.contains("12 of 12 steps passed"), "\(row)")
    // The number and the name of the card, and the number and the name of the machine.
    for secret in ["4761739001010010", "TEST/CARD", "544553542F43415244", ProcessInfo.processInfo.hostName] {
      #expect(!text.contains(secret), "\(secret)")
    }
    #expect(text.utf8.count < 65_536)
    let model = try TapProgram.run("bench", "--over", "106k", "--recording", file, "--format", "json")
    #expect(model.code == 0 && model.output.contains("READ RECORD"), "\(model.output)\(model.errors)")
    #expect(try OutputSchema.refused(model.output, "bench") == "")
    #expect(try model.json()["recording"] != nil, "\(model.output)")
    let copy = try LabUSBTests.Lab("--device", file)
    let payment = try copy.accept()
    #expect(payment.code == 0, "\(payment.output)\(payment.errors)")
    try copy.end()
  }

  @Test func `a reader of libnfc is found again under its new number`() throws {
    let scratch = try Scratch()
    let file = scratch.path("reader.json")
    let lab = try LabUSBTests.Lab("--device", "scm-scl3711", hasService: false)
    let run = try Run(at: lab, file, ["--reader", lab.address]).followAll()
    try lab.end()
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    let document = try Self.document(file).document
    let evidence = try #require(document.evidence)
    #expect(evidence.steps(.passed) == EvidenceStep.allCases, "\(evidence.results)")
    #expect(evidence.place == "nfc" && evidence.drivers.keys.contains("libnfc6"), "\(evidence.drivers)")
    #expect(document.hasChip && document.identifier == "04e6:5591")
  }

  /// Faults of the first response.
  @Test(arguments: ["mute", "truncated"])
  func `the evidence names a fault, and the steps after it are done`(_ fault: String) throws {
    let scratch = try Scratch()
    let file = scratch.path("reader.json")
    let lab = try LabUSBTests.Lab("--device", "scm-scl011")
    let run = try Run(at: lab, file).followAll(fault: fault)
    try lab.end()
    #expect(run.code == 2, "\(run.output)\(run.errors)")
    let evidence = try #require(try Self.document(file).document.evidence)
    #expect(evidence.steps(.failed).first == .exchange, "\(evidence.results)")
    let result = try #require(evidence.results.first { $0.step == .exchange })
    // pcscd may have noticed that the reader finds no card.
    #expect(["transmissionFailed", "cardRemoved"].contains(result.error), "\(result)")
    #expect(evidence.steps(.passed).contains(.plug), "\(evidence.results)")
  }

  @Test func `a reader that carries no long command is named in its evidence`() throws {
    let scratch = try Scratch()
    let right = try String(contentsOf: Fixtures.url("Readers/acs-acr1252-reader.json"), encoding: .utf8)
    let wrong = right.replacing(/"maximumMessage": \d+/, with: "\"maximumMessage\": 110")
      .replacing(/"features": "[0-9A-F]+"/, with: "\"features\": \"00020040\"")
    #expect(wrong != right)
    let file = scratch.path("evidence.json")
    let lab = try LabUSBTests.Lab("--device", scratch.write("wrong.json", wrong))
    let run = try Run(at: lab, file).followAll()
    try lab.end()
    #expect(run.code == 2, "\(run.output)\(run.errors)")
    let evidence = try #require(try Self.document(file).document.evidence)
    #expect(evidence.steps(.failed) == [.longCommand], "\(evidence.results)")
  }

  @Test func `a file of another kind is refused as a device, with the place of each problem`() throws {
    let scratch = try Scratch()
    let evidence = #"{"format": "other", "version": 2, "date": "today", "program": "tap", "place": "moon"}"#
    for (text, words) in [
      (#"{"evidence": \#(evidence)}"#, "not at the USB bus"),
      (
        #"{"vendor": "04E6", "product": "5293", "release": "0112", "chip": "pn533", "evidence": \#(evidence)}"#,
        "$.evidence.format"
      ),
      ("{}", "$.vendor"), ("reader", "expected a value"),
    ] {
      let run = try TapProgram.run("lab", "usb", "--device", scratch.write("wrong.json", text), "--timeout", "1")
      #expect(run.code != 0 && run.errors.contains(words), "\(words): \(run.errors)")
    }
  }

  /// A reader with a serial number, which no file of readers has. Its user is absent: standard input is at its end.
  @Test func `the serial number of a reader is not in its evidence, and steps without a user are skipped`() throws {
    let serial = "SN-8472-QX"
    let bus = try SimulatedUSBBus()
    defer { bus.close() }
    let service = try PrivateReaderService(readers: [], variables: bus.environment)
    defer { service.close() }
    let device = SimulatedUSBDevice.reader(
      USBDescription(
        vendor: 0x072F, product: 0x223B, release: 0x0100, manufacturer: "ACS", name: "ACR1252 \(serial)",
        serialNumber: serial, interfaces: []))
    let link = device.link()
    let card = serving(link, ChannelContract.responder())
    try bus.plug(device)
    let scratch = try Scratch()
    let file = scratch.path("evidence.json")
    let environment = bus.environment.merging(service.environment) { $1 }
    let end = ContinuousClock.now + .seconds(60)
    while !service.log.contains("Card ATR: "), ContinuousClock.now < end { usleep(5000) }
    // pcscd has the serial number in the name of the reader.
    #expect(service.usbReaderNames.contains { $0.contains(serial) }, "\(service.usbReaderNames)")
    let run = try TapProgram.run("readers", "--evidence", file, environment: environment)
    link.stop()
    try card.join()
    let (document, text) = try Self.document(file)
    let evidence = try #require(document.evidence)
    #expect(evidence.steps(.skipped) == [.empty, .cardOut, .cardBack, .unplug, .plug], "\(evidence.results)")
    #expect(evidence.steps(.passed).prefix(2) == [.descriptors, .cardIn], "\(evidence.results)")
    // The card of this test is no payment card.
    #expect(evidence.steps(.failed) == [.payment] && run.code == 2, "\(evidence.results)\(run.errors)")
    #expect(!text.contains(serial) && !run.output.contains(serial), "\(run.output)")
    #expect(!(run.output + run.errors).contains(serial), "\(run.output)\(run.errors)")
  }
}
