import ArgumentParser
import CardExploration
import ProgramSupport
import POSIX

/// Sends commands to a card and shows the responses in words.
struct SendCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract: "Send commands to a card and show the responses in words.",
    help: CommandHelp(
      """
      A command is hexadecimal digits, such as 00A404000E325041592E5359532E444446303100. A response 61xx is \
      followed by GET RESPONSE, and 6Cxx by the command with the right Le; each is shown as an exchange of its \
      own. Commands of class FF are for a PC/SC reader, which answers them itself. Account numbers, track data \
      and names are masked.
      """,
      examples: [
        "tap send --reader pcsc:ACR122U 00A404000E325041592E5359532E444446303100": "Select the directory of a card.",
        "tap send --reader loopback:card.json --script commands.txt --record exchange.txt":
          "Send the commands of a file, one in a line, and record them.",
      ],
      exits: [
        .done: "every command was answered with 9000 or a warning",
        .notRight: "a command was answered with another status or is malformed, or the card left",
        .notReached: "no card or reader was reached",
        .error: "a file cannot be read or written",
      ],
      environment: [.reader],
      related: ["tap-shell", "tap-decode"]))

  @OptionGroup var card: CardOptions
  @Argument(help: ArgumentHelp("Commands in hexadecimal, sent in order.", valueName: "apdu"))
  var commands: [String] = []
  @Option(
    help: ArgumentHelp(
      "A file with a command in each line, after those of the command line; standard input when -. # begins a comment.",
      valueName: "file"), completion: .file())
  var script: String?
  @Flag(help: "Send bytes as they are, also when they are no command, and follow up no response.")
  var raw = false
  @Flag(help: "End at the first response that is neither 9000 nor a warning.")
  var failFast = false
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  func validate() throws {
    try require(
      !commands.isEmpty || script != nil,
      "A command is needed, such as 00A404000E325041592E5359532E444446303100, or --script FILE.")
  }

  func run() async throws {
    try await Console.reportingErrors(as: format) {
      let commands = try allCommands()
      try commands.forEach(card.check)
      let place = try await card.open()
      let visitor = try await place.visit(
        CommandSequence(
          commands, followsUp: !raw, stopsAtRefusal: failFast, observer: try card.printer(as: format)),
        timeout: card.waitLimit)
      try card.finish(visitor.exchanges.recording, visitor.observer, visitor.failure, as: format)
      if visitor.hasErrorStatus { throw Exit.notRight.code }
    }
  }

  private func allCommands() throws -> [[UInt8]] {
    do {
      let typed = try commands.map { try CommandScript.command($0, isRaw: raw) }
      guard let script else { return typed }
      let isInput = script == "-"
      let text = try isInput ? InputFile.standardInput() : InputFile.text(script)
      return typed + (try CommandScript.commands(text, named: isInput ? "standard input" : script, isRaw: raw))
    } catch let error as CommandTextError { throw error.withRemedy }
  }
}

extension CommandTextError {
  /// The error with the option that sends bytes as they are, where it helps.
  fileprivate var withRemedy: InputError {
    InputError(
      description: kind == .notACommand ? "\(self). --raw sends it as it is" : "\(self)", code: .malformed)
  }
}
