import ArgumentParser
import EMVDecoding
import Foundation
import Links
import NFCReader
import Octets
import PCSCReader
import ProgramSupport
import ReaderKinds

/// PC/SC readers with the cards in them, and the devices that libnfc finds; what happens to them; what is wrong.
struct ReadersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readers",
    abstract: "PC/SC readers with the cards in them, and NFC devices of libnfc.",
    help: CommandHelp(
      """
      libnfc finds USB devices by itself, and serial ones only where its configuration or LIBNFC_DEVICE names \
      them. Its devices are listed also without a reader service, and readers also without libnfc; standard \
      error names what could not be asked. --evidence says on standard error what to do in each step; a typed line \
      skips the step, and the end of standard input skips all steps that wait for the user.
      """,
      examples: [
        "tap readers --check": "Check the set-up, and name the remedy of each problem.",
        "tap readers --evidence reader.json": "Try the only reader step by step, with a test card in your hand.",
        "tap readers --watch --timeout 60": "Report each card and reader that comes or goes, for a minute.",
      ],
      exits: [
        .done: """
        listed, also when no reader is connected; --watch was ended by Ctrl-C or --timeout; no problem found; every \
        step of --evidence passed or was skipped
        """,
        .notReached: "neither could be asked; --evidence has no reader, or several and no --reader",
        .notRight: "--check found problems, each with its remedy; a step of --evidence failed, and the file names it",
        .error: "the file of --evidence cannot be written",
      ],
      environment: [.pcscd, .libnfc, .reader],
      related: ["tap-lab", "tap-nfc"]))

  @Flag(
    help: """
      Go on, and tell of readers and cards that come and go, until Ctrl-C. libnfc's devices are listed once, as soon as \
      they are known.
      """)
  var watch = false
  @OptionGroup var limit: RunLimit
  @Flag(help: "Look for what is wrong with this set-up, and say the remedies.")
  var check = false
  @OptionGroup var evidence: EvidenceOptions
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  func validate() throws {
    try require(watch || limit.timeout == nil, "--timeout needs --watch: nothing else waits.")
    try require(!watch || !check, "--watch and --check exclude each other.")
    try require(evidence.evidence == nil || !watch && !check, "--evidence excludes --watch and --check.")
  }

  func run() async throws {
    if check { throw try await checked().code }
    if let path = evidence.evidence {
      return try await Console.reportingErrors(as: format) { throw try await evidence.run(to: path, as: format).code }
    }
    // At once, whatever is being waited for: there is nothing to put in order.
    let finish = watch ? limit.start { Console.endProgram(0) } : nil
    defer { finish?() }
    let devices = DedicatedThread(named: "nfc") { () throws(LinkError) in try NFCDevice.connstrings() }
    if watch {
      Console.note("Watching readers and cards; Ctrl-C ends ...")
      let format = format
      let presence = DedicatedThread<Void, Never>(named: "watch") { PresenceWatch(format: format).run() }
      _ = DedicatedThread<Void, Never>(named: "output") { Interrupt.endWithOutput() }
      // A USB device that is stuck delays libnfc, but not the watch.
      try await list(devices)
      await presence.value()
    }
    let service = DedicatedThread(named: "readers") { () throws(LinkError) in try PCSCService.readers() }
    let deviceCount = try await list(devices)
    let readerCount = try await list(service)
    if deviceCount == nil, readerCount == nil {
      throw Console.fail(
        InputError(
          description: "neither PC/SC nor libnfc could be asked for readers", exit: .notReached), as: format)
    }
    if readerCount == 0, deviceCount ?? 0 == 0 { Console.note("No reader is connected.") }
  }

  /// Lists libnfc's devices. Returns how many there are, or nil when libnfc could not be asked.
  @discardableResult
  private func list(_ devices: DedicatedThread<[String], LinkError>) async throws -> Int? {
    do {
      let connstrings = try await devices.value()
      for connstring in connstrings {
        let address = "nfc:\(connstring)"
        try format.print(address, json: ["reader": connstring, "address": address])
      }
      return connstrings.count
    } catch let error as LinkError {
      Console.note("NFC devices are not listed: \(error)")
      return nil
    }
  }

  private func list(_ service: DedicatedThread<[PCSCReaderStatus], LinkError>) async throws -> Int? {
    do {
      let readers = try await service.value()
      let names = readers.contains { $0.card != nil } ? CardFiles.cardNames() : nil
      for reader in readers { try show(reader, reader.card.flatMap { names?.names(of: $0) } ?? []) }
      return readers.count
    } catch let error as LinkError {
      Console.note("PC/SC readers are not listed: \(error)")
      return nil
    }
  }

  private func show(_ reader: PCSCReaderStatus, _ names: [String]) throws {
    let address = "pcsc:\(reader.name)"
    let card = reader.card.map { "card, ATR \($0.hex)" } ?? "no card"
    let use = reader.isExclusive ? ", in use by another program" : ""
    let state = reader.isUnresponsive ? "does not answer: unplug it and plug it in again" : card + use
    try format.print(
      ["\(address)  \(state)"] + names.map { "  \($0)" },
      json: [
        "reader": reader.name, "address": address, "hasCard": reader.card != nil,
        "isUnresponsive": reader.isUnresponsive ? true : nil,
        "answerToReset": reader.card.map(\.hex), "cardNames": names.isEmpty ? nil : names,
      ])
  }

  /// Prints the findings.
  private func checked() async throws -> Exit {
    let survey = SetupSurvey(environment: ProcessInfo.processInfo.environment)
    let findings = await DedicatedThread<[Finding], Never>(named: "survey") { survey.findings() }.value()
    for finding in findings {
      switch format {
      case .json: try Console.print(json: finding)
      case .text: for line in finding.lines { Console.print(line) }
      }
    }
    let count = findings.filter { $0.verdict == .problem }.count
    Console.note(count == 0 ? "No problem found." : "\(count.counted("problem")).")
    return count == 0 ? .done : .notRight
  }
}
