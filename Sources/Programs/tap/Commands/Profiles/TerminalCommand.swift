import ArgumentParser
import DisplayText
import Documents
import EMVData
import EMVTerminal
import JSON
import Octets
import ProfileAuthoring
import ProgramSupport
import TapScenarios
import POSIX

/// Terminal profiles of one's own.
struct TerminalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "terminal", abstract: "Write, check and show terminal profiles.",
    help: CommandHelp(
      related: ["tap-accept"]),
    subcommands: [New.self, Check.self, Show.self, Keys.self, Except.self])

  /// Writes a profile to begin with.
  struct New: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "new", abstract: "Write a terminal profile to begin with: an attended shop for Visa and Mastercard.",
      help: CommandHelp(
        examples: [
          "tap terminal new --merchant 'MY SHOP, OSLO' --country 578 --currency NOK -o shop.json":
            "Write the profile of a shop in Norway."
        ],
        exits: [
          .done: "written",
          .error: "the file cannot be written",
        ]))

    @Option(help: ArgumentHelp("A name for people.", valueName: "text"))
    var name: String?
    @Option(help: ArgumentHelp("The merchant's name and place, 1 to 40 characters of ASCII.", valueName: "text"))
    var merchant: String?
    @Option(help: ArgumentHelp("The country, three digits of ISO 3166-1, such as 276.", valueName: "code"))
    var country: String?
    @Option(
      help: ArgumentHelp(
        """
        A currency that the terminal takes, by its ISO 4217 number or letters; the option may be repeated. A currency that the \
        shipped terminal does not take gets its limits in euros, as numbers. When left out, all of the shipped terminal.
        """, valueName: "code"), completion: .custom { _, _, _ in ShippedTerminal.currencies(after: []) })
    var currency: [String] = []
    @OptionGroup var destination: OutputOptions

    func run() throws {
      try Console.reportingErrors {
        try destination.write(
          InputError.ofOptions {
            let profile = try TerminalTemplate(ShippedTerminal.profile).profile(
              setting: [("name", name), ("merchant.name", merchant), ("countryCode", country)], currencies: currency)
            let octets = Array((profile.pretty + "\n").utf8)
            _ = try TerminalConfiguration(json: octets)
            return octets
          })
      }
      guard let file = destination.output, file != "-" else { return }
      Console.note(
        """
        Wrote \(file). Next:
          tap terminal check \(file.shellWord)
          tap accept --terminal \(file.shellWord) --reader loopback:CARDFILE --amount 12.34 --currency \(currency.first ?? "EUR")
        """)
    }
  }

  /// Checks profiles.
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check", abstract: "Check terminal profiles, and name all problems at once.",
      help: CommandHelp(
        "Each problem is a line with file, line, column and place in the document.",
        examples: [
          "tap terminal check terminal.json": "Name the problems of a profile."
        ],
        exits: [
          .done: "no problems",
          .notRight: "problems",
          .error: "a file cannot be read",
        ]))

    @OptionGroup var check: ProfileCheck

    func run() throws {
      try check.run(.terminal) { $0 == "-" ? try InputFile.standardInput() : try NamedFile.text($0) }
    }
  }

  /// Shows a profile in words.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show a terminal profile in words, with the default values of absent keys.",
      help: CommandHelp(
        examples: [
          "tap terminal show terminal.json": "Show a profile in words."
        ],
        exits: [
          .done: "shown",
          .notRight: "the profile has problems",
          .error: "it cannot be read",
        ]))

    @Argument(
      help: ArgumentHelp("A terminal profile.", valueName: "file"), completion: FileCompletion.named(endingIn: ".json"))
    var file: String

    func run() throws {
      try Console.reportingErrors {
        let octets = try NamedFile.text(file)
        _ = try CardFiles.naming(file) { try TerminalConfiguration(json: octets) }
        let profile = try JSONValue(parsing: octets)
        TerminalText(profile).lines.forEach(Console.print)
      }
    }
  }

  /// Prints the keys of a profile.
  struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "keys", abstract: "Print every key of a terminal profile, as text, as a table or as a JSON Schema.",
      help: CommandHelp(
        examples: [
          "tap terminal keys": "Print every key with its meaning and its default value.",
          "tap terminal keys --format schema": "Print the JSON Schema of a terminal profile, for an editor.",
        ],
        exits: [
          .done: "printed"
        ]))

    @Flag(help: "The keys of a file for tap test --capabilities, in place of those of a profile.")
    var capabilities = false
    @OptionGroup var keys: ProfileKeys

    func run() {
      if capabilities { return keys.run(TestedCapabilities.keys, title: "Terminal capabilities") }
      keys.run(.terminal)
    }
  }
}

extension TerminalCommand {
  /// Puts a card on the exception list of a terminal.
  struct Except: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "except", abstract: "Put a card on the exception list of a terminal.",
      help: CommandHelp(
        """
        The account number is read from the standard input, so that it is not in the list of processes; the file \
        keeps a keyed hash of it.
        """,
        examples: [
          "tap terminal except seen.json < number.txt": "Refuse the card whose account number is in a file."
        ],
        exits: [
          .done: "done",
          .notRight: "no account number, or no such log",
          .error: "the file cannot be read or written",
        ]))

    @Argument(
      help: ArgumentHelp("The log of the terminal, as for --terminal-log.", valueName: "file"), completion: .file())
    var file: String

    func run() throws {
      try Console.reportingErrors {
        var octets = try InputFile.standardInput()
        defer { octets.wipe() }
        let digits = String(decoding: octets, as: UTF8.self).filter { !$0.isWhitespace }
        guard let number = PrimaryAccountNumber(digits: digits) else {
          throw InputError(description: "the standard input is no account number: 8 to 19 digits", code: .malformed)
        }
        try TerminalLogFile(path: file).update { $0.except(number) }
        Console.note("\(number.masked) is on the exception list of \(file).")
      }
    }
  }
}
