import ArgumentParser
import DisplayText
import Links
import Octets
import ProgramSupport
import VirtualCard

/// A virtual PC/SC reader in a pcscd of its own, with or without a card in it.
struct LabPCSCCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pcsc", abstract: "A PC/SC reader in a pcscd of its own, with or without a card in it.",
    help: CommandHelp(
      """
      The system's own pcscd and its readers are left alone: programs see the reader when PCSCLITE_CSOCK_NAME \
      says so. The card of --card is an armed card of the test wallet: after each payment its simulated holder \
      is verified again, and the card leaves the reader for a second as soon as its terminal has ended, unless \
      it --stays. The driver takes cards at two TCP ports of this machine; --listen opens them to other \
      machines.
      """,
      examples: [
        "tap lab pcsc --card card.json --socket lab.socket":
          "Put a card into a reader; programs find it with PCSCLITE_CSOCK_NAME=lab.socket."
      ],
      exits: LabCommand.exits))

  @OptionGroup var card: LabCardOptions
  @OptionGroup var traffic: LabTrafficOptions
  @Option(
    help: ArgumentHelp(
      "Where to make the socket for PCSCLITE_CSOCK_NAME; in a temporary folder when left out.", valueName: "file"),
    completion: .file())
  var socket: String?
  @Option(
    help: ArgumentHelp(
      "The TCP port for the card of the first slot, 1 to 65534; the second slot has the next one. Free ports when left out.",
      valueName: "port"))
  var port: UInt16?
  @Option(
    help: ArgumentHelp(
      "The IPv4 address at which the reader takes cards, such as 192.0.2.7, or 0.0.0.0 for all addresses: a program that "
        + "reaches it can put a card into the reader.", valueName: "address"))
  var listen = ReaderEntry.loopbackAddress
  @OptionGroup var limit: RunLimit
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  /// A virtual reader looks for its card every 400 ms: a card that comes back sooner seems never to have left.
  private static let absence = Duration.milliseconds(900)

  func validate() throws {
    try require("--port", port, in: 1...65_534)
    try require(card.hasCard || !traffic.isSet, "--verbose and --record need --card.")
    let parts = listen.split(separator: ".", omittingEmptySubsequences: false)
    try require(
      parts.count == 4 && parts.allSatisfy { UInt8($0) != nil },
      "--listen \(listen): an IPv4 address in digits is needed, such as 127.0.0.1, or 0.0.0.0 for all.")
  }

  func run() async throws {
    try await Console.reportingErrors(as: format) {
      let observed = try traffic.observed(format)
      let card = try card.card(format, observed)
      let service = try await DedicatedThread(named: "readers") { () throws(LinkError) in
        try Self.service(at: listen, port)
      }.value()
      let slot = LabSlot(stays: card?.stays ?? false)
      let finish = limit.start { slot.close() }
      defer { finish() }
      let socketLink = try socketLink(to: service)
      defer { socketLink?.remove() }
      try tell(service, at: socketLink?.path ?? service.socketPath, hasCard: card != nil)
      let shown = Task { try await observed?.show() }
      let result = await Task { try await serve(card, in: slot, of: service) }.result
      observed?.end()
      await DedicatedThread(named: "readers") { service.close() }.value()
      let written = Result { try observed?.write() }
      try await shown.value
      try result.get()
      try written.get()
    }
  }

  /// The link of `--socket`. One that cannot be made is a file that cannot be written, and no reader that was not reached.
  private func socketLink(to service: PrivateReaderService) throws -> SocketLink? {
    do {
      return try socket.map { try SocketLink(at: $0, to: service) }
    } catch {
      _ = Console.fail(error, as: format)
      throw Exit.error.code
    }
  }

  private static func service(at address: String, _ port: UInt16?) throws(LinkError) -> PrivateReaderService {
    let name = "Contactless Lab"
    guard let port else { return try .withVirtualReader(named: name, at: address) }
    return try PrivateReaderService(readers: [.virtualReader(named: name, port: port, at: address)])
  }

  /// The address at which the cards of this machine reach the reader.
  private var host: String { listen == "0.0.0.0" ? ReaderEntry.loopbackAddress : listen }

  private func tell(_ service: PrivateReaderService, at socket: String, hasCard: Bool) throws {
    let reader = service.readerNames[0]
    let link = "vpcd:\(host):\(Self.port(of: service) + (hasCard ? 1 : 0))"
    let environment = "PCSCLITE_CSOCK_NAME=\(socket.shellWord)"
    try format.print(
      [
        "A PC/SC reader\(hasCard ? " with a card in it" : ""): \(reader)",
        "Be the terminal at it: \(environment) tap accept --reader \"pcsc:\(reader)\" --amount 12.34 --currency EUR",
        "Be \(hasCard ? "the card in its second slot" : "the card in it"): tap present --link \(link) --card FILE",
        "Other programs: \(environment) opensc-tool --list-readers",
      ], json: ["reader": reader, "socket": socket, "address": "pcsc:\(reader)", "link": link])
  }

  /// Runs until the slot is closed; fails with the card, or with pcscd.
  private func serve(_ card: LabCard?, in slot: LabSlot, of service: PrivateReaderService) async throws {
    let (host, port) = (host, Self.port(of: service))
    let work = Task {
      guard let card else { return }
      async let reader: Void = Self.present(in: slot, host: host, port: port, card.traffic)
      try await card.run(in: slot)
      try await reader
    }
    while !slot.isClosed, service.identifier != nil { try await Task.sleep(for: .milliseconds(50)) }
    let wasStopped = slot.isClosed
    slot.close()
    try await work.value
    guard wasStopped else { throw LinkError(.serviceUnavailable, "pcscd has ended; its log:\n\(service.log)") }
  }

  /// Puts the card into the reader until the slot is closed, and takes it out for a moment after each payment.
  private static func present(in slot: LabSlot, host: String, port: UInt16, _ traffic: LabTraffic?) async throws {
    defer { slot.close() }
    var departures = slot.departures.makeAsyncIterator()
    repeat {
      let link = try VPCDLink(host: host, port: port)
      let reader = DedicatedThread(named: "reader") { () throws(LinkError) in
        var card = SlottedCard(slot: slot, resetFrames: 2)
        do throws(LinkError) {
          if let traffic { try traffic.serve(card, on: link) } else { try link.serve(&card) }
        } catch {
          // Ends the wait for a departure.
          slot.close()
          throw error
        }
      }
      await departures.next()
      link.stop()
      try await reader.value()
      // A terminal that was at the card has lost it.
      slot.visitEnded()
      await slot.rest(for: absence)
    } while !slot.isClosed
  }

  private static func port(of service: PrivateReaderService) -> UInt16 {
    UInt16(truncatingIfNeeded: service.readers[0].channel)
  }
}
