import ArgumentParser
import DisplayText
import Documents
import Foundation
import Links
import Octets
import ProgramSupport
import USBSimulator
import VirtualCard

/// A USB reader that real drivers use, with or without a card in it.
struct LabUSBCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "usb", abstract: "A USB reader under the real drivers: pcscd, libccid, libnfc.",
    help: CommandHelp(
      """
      Programs that are started with the printed LD_PRELOAD and UMOCKDEV_DIR see the reader at the USB bus; \
      --pcscd starts a pcscd that does, and its programs need PCSCLITE_CSOCK_NAME only. The chips of an ACR122U, \
      an SCL3711 and their like are for libnfc; --beside puts a second one into the field of the first. While it runs, these lines \
      are taken from standard input: plug, unplug, card in, card out, fault NAME for the next response or \
      notification, fault none. It takes the Debian package umockdev, and libccid for pcscd. Programs that refuse \
      LD_PRELOAD, as tap-device does, do not see the bus.
      """,
      examples: [
        "tap lab usb --device Fixtures/Readers/acr122u-picc.json --card card.json --pcscd":
          "Put a card on an ACR122U, for programs that use a pcscd of its own.",
        "tap lab usb --device acr122u --beside scl3711":
          "Let an SCL3711 be the terminal of a card that an ACR122U presents.",
      ],
      exits: LabCommand.exits))

  @Option(
    help: ArgumentHelp(
      "The reader: one of --list, or a file with the values of its descriptors.", valueName: "name or file"),
    completion: .list(ShippedReaders.names))
  var device = "acs-acr1252-dual-reader"
  @Option(
    help: ArgumentHelp(
      "A second reader. Both have a chip for libnfc: one of them presents a card, and the other is its terminal.",
      valueName: "name or file"),
    completion: .list(ShippedReaders.names))
  var beside: String?
  @Flag(help: "Print the names of the readers that are in the program, and end.")
  var list = false
  @OptionGroup var card: LabCardOptions
  @Option(help: CardType.help)
  var type = CardType.a
  @OptionGroup var traffic: LabTrafficOptions
  @Flag(help: "Start a pcscd of its own that drives the reader.")
  var pcscd = false
  @OptionGroup var limit: RunLimit
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  func validate() throws {
    try require(card.hasCard || type == .a, "--type needs --card.")
    try require(card.hasCard || !traffic.isSet, "--verbose and --record need --card.")
    try require(beside == nil || !card.hasCard, "--beside: one of the two readers presents a card: leave --card out.")
    try require(
      beside == nil || !pcscd, "--beside is for the chips of two readers, which libnfc drives: leave --pcscd out.")
  }

  func run() async throws {
    try await Console.reportingErrors(as: format) {
      if list { return try format.print(ShippedReaders.names, json: ["devices": ShippedReaders.names]) }
      let observed = try traffic.observed(format)
      let card = try card.card(format, observed)
      let documents = try [device, beside].compactMap(\.self).map(ShippedReaders.document)
      try check(documents)
      let slot = LabSlot(stays: card?.stays ?? false)
      let finish = limit.start { slot.close() }
      defer { finish() }
      let bus = try SimulatedUSBBus()
      defer { bus.close() }
      let second = try documents.count > 1 ? documents[1].device() : nil
      let reader = try SimulatedUSBReader(documents[0].device(), beside: second, on: bus, slot: slot, type: type)
      let service = try await DedicatedThread(named: "readers") { () throws(LinkError) in
        try pcscd ? PrivateReaderService(readers: [], variables: bus.environment) : nil
      }.value()
      try reader.plug()
      try await tell(reader, documents, service)
      let shown = Task { try await observed?.show() }
      let result = await Task { try await serve(card, at: reader, in: slot, service) }.result
      observed?.end()
      await DedicatedThread(named: "readers") { service?.close() }.value()
      let written = Result { try observed?.write() }
      try await shown.value
      try result.get()
      try written.get()
    }
  }

  /// Refuses readers that cannot do what is asked of them.
  private func check(_ documents: [ReaderDocument]) throws(LinkError) {
    if pcscd, !documents[0].isSmartCardReader {
      throw LinkError(
        .readerUnavailable, "\(documents[0].name): pcscd does not drive this reader, libnfc does; leave --pcscd out")
    }
    guard documents.count > 1, let bare = documents.first(where: { !$0.hasChip }) else { return }
    throw LinkError(
      .readerUnavailable,
      "\(bare.name): --beside takes two readers with a chip for libnfc, such as acr122u-picc and scm-scl3711")
  }

  /// Says how programs see the reader at the bus.
  private func tell(_ reader: SimulatedUSBReader, _ documents: [ReaderDocument]) throws {
    let bus = reader.busVariables
    let (names, chips) = (documents.map(\.name), reader.connstrings.map { "nfc:\($0)" })
    var lines = ["A USB reader\(card.hasCard ? " with a card in it" : ""): \(names[0])"]
    if names.count > 1 { lines.append("A second one in its field: \(names[1])") }
    if let terminal = chips.last {
      lines.append("Be the terminal at it: \(bus) tap accept --reader \(terminal) --amount 12.34 --currency EUR")
    }
    if chips.count > 1 { lines.append("Be the card at the first: \(bus) tap present --link \(chips[0]) --card FILE") }
    if !chips.isEmpty { lines.append("Programs of libnfc: \(bus) nfc-list") }
    lines.append("Programs at the bus: \(bus) lsusb")
    try format.print(
      lines,
      json: JSONObject([
        ("device", names[0]), ("environment", reader.bus.environment), ("address", chips.last),
        ("second", names.count > 1 ? names[1] : nil), ("link", chips.count > 1 ? chips[0] : nil),
      ]))
  }

  /// Says how programs see the reader: at the bus, and in its pcscd as soon as that drives it.
  private func tell(
    _ reader: SimulatedUSBReader, _ documents: [ReaderDocument], _ service: PrivateReaderService?
  ) async throws {
    guard let service else { return try tell(reader, documents) }
    let name = try await service.firstUSBReader(within: .seconds(20))
    let environment = "PCSCLITE_CSOCK_NAME=\(service.socketPath.shellWord)"
    try format.print(
      [
        "A USB reader\(card.hasCard ? " with a card in it" : ""): \(name)",
        "Be the terminal at it: \(environment) tap accept --reader \("pcsc:\(name)".shellWord) --amount 12.34 --currency EUR",
        "Other programs: \(environment) opensc-tool --list-readers",
        "Programs at the bus: \(reader.busVariables) lsusb",
      ],
      json: [
        "reader": name, "socket": service.socketPath, "address": "pcsc:\(name)",
        "device": documents[0].name, "environment": reader.bus.environment,
      ])
  }

  /// Runs until the slot is closed; fails with the card, or with pcscd.
  private func serve(
    _ card: LabCard?, at reader: SimulatedUSBReader, in slot: LabSlot, _ service: PrivateReaderService?
  ) async throws {
    let work = Task {
      async let chips: Void = reader.runChips(card)
      guard let card else { return try await chips }
      async let presented: Void = reader.present(card.traffic)
      try await card.run(in: slot)
      try await presented
      try await chips
    }
    let lines = TypedLines { line in
      do throws(LinkError) {
        Console.note(try reader.follow(line) ?? "done: \(line)")
      } catch { Console.note("\(error)") }
    }
    lines.start()
    while !slot.isClosed, service == nil || service?.identifier != nil { try await Task.sleep(for: .milliseconds(50)) }
    let wasStopped = slot.isClosed
    slot.close()
    try await work.value
    guard wasStopped, service?.identifier != nil || service == nil else {
      throw LinkError(.serviceUnavailable, "pcscd has ended; its log:\n\(service?.log ?? "")")
    }
  }
}

/// The lines of standard input, each passed on as it comes.
private struct TypedLines {
  let take: @Sendable (String) -> Void

  /// Starts a thread that ends with standard input, or with the program.
  func start() {
    let take = take
    _ = DedicatedThread(named: "lines") {
      while let line = readLine() { take(line) }
    }
  }
}

extension PrivateReaderService {
  /// The name of the first reader that this pcscd drives at its USB bus.
  ///
  /// - Throws: `LinkError.Code.readerUnavailable` with the log when there is none in time, or the driver refuses it.
  fileprivate func firstUSBReader(within limit: Duration) async throws -> String {
    let clock = SystemClock()
    let end = clock.now + limit
    while true {
      let log = log
      if let name = usbReaderNames.first, log.contains("RFAddReader() Using the ") { return name }
      guard clock.now < end, !log.contains("Failed adding USB device") else {
        throw LinkError(.readerUnavailable, "pcscd does not drive the simulated USB reader; its log:\n\(log)")
      }
      try await Task.sleep(for: .milliseconds(10))
    }
  }
}
