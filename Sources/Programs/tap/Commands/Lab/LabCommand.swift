import ArgumentParser
import Foundation
import Links
import Octets
import ProgramSupport
import ReaderSimulator

/// Simulated readers.
struct LabCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lab",
    abstract: "Simulated readers: PN532 chips on serial ports that exist only here, PC/SC readers, and USB readers.",
    help: CommandHelp(
      """
      They run until interrupted (Ctrl-C or SIGTERM) or until the time of --timeout is over. With --format \
      json the first line on standard output says how to address them.
      """,
      related: ["tap-readers"]),
    subcommands: [LabPN532Command.self, LabPairCommand.self, LabPCSCCommand.self, LabUSBCommand.self])

  /// How the commands of the group end.
  static let exits: CommandHelp.Exits = [
    .done: "interrupted, or the time is over",
    .notRight: "the card has problems",
    .error: "a file cannot be read, or a simulated reader cannot be started",
  ]
}

/// How a simulated field behaves.
struct LabOptions: ParsableArguments {
  enum Pace: String, ExpressibleByArgument, CaseIterable {
    case real
    case none
  }

  @Option(help: "How long a frame is on the air: as at 106 kbit/s, or no time at all.")
  var pace = Pace.real
  @Option(help: ArgumentHelp("What the card's identifier and all faults follow from.", valueName: "number"))
  var seed: UInt64 = 0
  @Option(
    help: ArgumentHelp(
      """
      How many of 1000 frames go wrong, such as drop=20,corrupt=20: drop and corrupt, delay (by 50 ms), tear and \
      field-off (for 50 ms).
      """, valueName: "kind=count"))
  var faults = FrameFaults()
  @OptionGroup var limit: RunLimit
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  private var timing: FieldTiming { FieldTiming(pacing: pace == .real ? .realTime : .none) }

  /// Runs chips until they are interrupted, and says at first how to address them.
  ///
  /// - Parameters:
  ///   - card: The card in their field.
  ///   - tell: Receives the connection strings.
  func run(
    _ layout: SimulatedField.Layout, card: LabCardOptions? = nil, tell: ([String]) throws -> Void
  ) async throws {
    try await Console.reportingErrors(as: format) {
      let card = try card?.card(format)
      let simulator = try ReaderSimulator(layout, timing: timing, faults: faults.plan(seed: seed))
      let finish = limit.start { simulator.stop() }
      defer { finish() }
      try tell(simulator.connstrings)
      if let card { return try await LabChips(simulator: simulator).serve(card) }
      try await DedicatedThread(named: "chips") { () throws(LinkError) in try simulator.run() }.value()
    }
  }
}

/// One chip, with or without a card on it.
struct LabPN532Command: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pn532", abstract: "One PN532, with or without a card on it.",
    help: CommandHelp(
      """
      The card of --card is an armed card of the test wallet: after each payment its simulated holder is \
      verified again, and the card leaves the field for half a second as soon as its terminal has ended, \
      unless it --stays.
      """,
      examples: [
        "tap lab pn532 --card card.json": "Put a card on a chip, and print the name of its serial port.",
        "tap lab pn532 --faults drop=20,corrupt=20": "Let one frame of fifty be lost, and as many be damaged.",
      ],
      exits: LabCommand.exits))

  @OptionGroup var card: LabCardOptions
  @Option(help: CardType.help)
  var type = CardType.a
  @OptionGroup var options: LabOptions

  func validate() throws { try require(card.hasCard || type == .a, "--type needs --card.") }

  func run() async throws {
    let identifier = [0x08] + SeededRandomSource(seed: options.seed).octets(3)
    let layout = card.hasCard ? type.layout(identifier: identifier) : .chip
    try await options.run(layout, card: card) { connstrings in
      let connstring = connstrings[0]
      try options.format.print(
        [
          "A PN532\(card.hasCard ? " with a card on it" : ""): \(connstring)",
          "Be the terminal at it: tap accept --reader nfc:\(connstring) --amount 12.34 --currency EUR",
          "Other programs: LIBNFC_DEVICE=\(connstring) nfc-list",
        ], json: ["connstring": connstring, "address": "nfc:\(connstring)"])
    }
  }
}

/// Two chips in one field.
struct LabPairCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair", abstract: "Two PN532 in one field: one can be the terminal, the other the card.",
    help: CommandHelp(
      examples: [
        "tap lab pair --timeout 60": "Offer two chips for a minute, for a terminal and a card."
      ],
      exits: LabCommand.exits))

  @OptionGroup var options: LabOptions

  func run() async throws {
    try await options.run(.pair) { connstrings in
      let (first, second) = (connstrings[0], connstrings[1])
      try options.format.print(
        [
          "Two PN532 in one field: \(first) and \(second)",
          "Be the card: tap present --link nfc:\(second) --card FILE",
          "Be the terminal: tap accept --reader nfc:\(first) --amount 12.34 --currency EUR",
        ], json: ["initiator": first, "target": second, "address": "nfc:\(first)", "link": "nfc:\(second)"])
    }
  }
}
