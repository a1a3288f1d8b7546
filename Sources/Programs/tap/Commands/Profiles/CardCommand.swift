import ArgumentParser
import DisplayText
import Documents
import EMVCard
import EMVData
import EMVIssuer
import JSON
import Octets
import ProfileAuthoring
import ProgramSupport
import Transcripts
import POSIX

/// Card profiles of one's own.
struct CardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "card", abstract: "Write, check and show card profiles.",
    help: CommandHelp(
      "A profile has no keys: those of a test card follow from the test issuer.",
      related: ["tap_wallet", "tap-accept"]),
    subcommands: [New.self, Import.self, Check.self, Show.self, Keys.self])

  /// Writes a profile to begin with.
  struct New: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "new", abstract: "Write a card profile to begin with.",
      help: CommandHelp(
        examples: [
          "tap card new --scheme visa --name 'My card' -o mine.json": "Write a profile for Visa.",
          "tap card new --scheme mastercard --oda": "Print the profile of a card that signs.",
        ],
        exits: [
          .done: "written",
          .error: "the file cannot be written",
        ]))

    @Option(
      help: ArgumentHelp("visa, mastercard, amex, jcb, discover or unionpay.", valueName: "scheme"),
      completion: .list(schemes.map(\.name)))
    var scheme: String
    @Option(help: ArgumentHelp("A name for people, 1 to 64 characters.", valueName: "text"))
    var name: String?
    @Option(
      help: ArgumentHelp(
        "An account number of a test range, with its check digit: 16 digits, for amex 15.", valueName: "digits"))
    var number: String?
    @Flag(
      help: """
        Make a card that signs (offline data authentication) and approves up to 50.00 EUR offline. Its AIDs begin with the \
        RID of the test authority, F000000001; the test issuer derives its key.
        """)
    var oda = false
    @Option(
      name: .customLong("key-bits"),
      help: ArgumentHelp(
        """
        For --oda: the size of the card's key, 512 to 1968, a multiple of 16; 896 when left out. Above 1024 the terminal needs key 02 of the test \
        authority, and long responses are fetched in parts.
        """, valueName: "bits"))
    var keyBits: Int?
    @Flag(
      help: """
        Make a card that takes its issuer's response: visa and unionpay in a second presentment, the others with a second \
        GENERATE AC; visa and mastercard issuer scripts too. The terminals of amex, jcb and discover have no such step.
        """)
    var issuerResponse = false
    @OptionGroup var destination: OutputOptions

    func validate() throws {
      guard let keyBits else { return }
      try require(oda, "--key-bits needs --oda: another card has no key.")
      guard TestAuthority.cardKeyBits.contains(keyBits), keyBits.isMultiple(of: 16) else {
        throw ValidationError("--key-bits \(keyBits): 512 to 1968 is needed, a multiple of 16.")
      }
    }

    func run() throws {
      try Console.reportingErrors {
        try destination.write(
          InputError.ofOptions {
            let octets = try Array((finished(newProfile()).pretty + "\n").utf8)
            _ = try CardImage(json: octets)
            return octets
          })
      }
      guard let file = destination.output, file != "-" else { return }
      Console.note("Wrote \(file). Next:\n  tap card check \(file.shellWord)\n  \(payment(file))")
    }

    /// The line that pays with the card.
    private func payment(_ file: String) -> String {
      let reader = "loopback:\(file)".shellWord
      return "tap accept --reader \(reader) --amount 12.34 --currency EUR\(terminal)"
    }

    /// The default terminal takes every card, and brings no issuer's response to it.
    private var terminal: String {
      let bringsResponse = issuerResponse && !oda && ["visa", "mastercard"].contains(scheme)
      return bringsResponse ? " --terminal Fixtures/Terminals/issuer-response.json" : ""
    }

    /// The shipped card of each scheme, by the name on the command line.
    static let schemes: [(name: String, kernel: ContactlessKernel, profile: [UInt8])] = [
      ("visa", .visa, PackageResources.visa_cvn18_json),
      ("mastercard", .mastercard, PackageResources.mastercard_cvn16_json),
      ("amex", .americanExpress, PackageResources.amex_mobile_json), ("jcb", .jcb, PackageResources.jcb_mobile_json),
      ("discover", .discover, PackageResources.discover_json), ("unionpay", .unionPay, PackageResources.unionpay_json),
    ]

    /// The profile with what the flags ask for. The certificates cover tag 82, so they are made last.
    private func finished(_ profile: JSONValue) throws -> JSONValue {
      guard oda || issuerResponse else { return profile }
      var card = try CardProfile(json: Array(profile.compact.utf8))
      if issuerResponse { card = card.takingIssuerResponse() }
      if oda { card = try TestAuthority.certified(card, keyBits: keyBits ?? TestAuthority.standardCardKeyBits) }
      return try JSONValue(parsing: card.json)
    }

    private func newProfile() throws -> JSONValue {
      guard let shipped = Self.schemes.first(where: { $0.name == scheme }) else {
        let names = Self.schemes.map(\.name)
        let guess = scheme.nearest(in: names).map { "did you mean \($0)? " } ?? ""
        throw InputError(description: "--scheme \(scheme): \(guess)The schemes are \(names.joined(separator: ", "))")
      }
      do {
        return try ProfileTemplate(shipped.profile).profile(named: name, number: number)
      } catch let failure as ProfileTemplate.Failure {
        throw InputError(description: "--number: \(failure)")
      }
    }
  }

  /// Checks profiles.
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check", abstract: "Check card profiles and personalisation files, and name all problems at once.",
      help: CommandHelp(
        "Each problem is a line with file, line, column and place in the document.",
        examples: [
          "tap card check card.json": "Name the problems of a profile."
        ],
        exits: [
          .done: "no problems",
          .notRight: "problems",
          .error: "a file cannot be read",
        ]))

    @OptionGroup var check: ProfileCheck

    func run() throws {
      try check.run(.card) { $0 == "-" ? try InputFile.standardInput() : try CardFiles.profile($0, tellsAll: true) }
    }
  }

  /// Shows a profile in words.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show a card profile in words.",
      help: CommandHelp(
        examples: [
          "tap card show card.json": "Show a profile in words."
        ],
        exits: [
          .done: "shown",
          .notRight: "the profile has problems",
          .error: "it cannot be read",
        ]))

    @Argument(
      help: ArgumentHelp("A card profile or personalisation file.", valueName: "file"),
      completion: FileCompletion.card)
    var file: String
    @Flag(help: "Show account numbers and track data of cards that are no test cards.")
    var unmasked = false

    func run() throws {
      try Console.reportingErrors {
        let json = try CardFiles.profile(file, tellsAll: true)
        let image = try CardFiles.card(file, faults: true)
        let disclosure = try Disclosure(showsAll: unmasked)
        CardText(image, try CardProfile(json: json)) { disclosure.shows($0) }.lines.forEach(Console.print)
      }
    }
  }

  /// Prints the keys of a profile.
  struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "keys", abstract: "Print every key of a card profile, as text, as a table or as a JSON Schema.",
      help: CommandHelp(
        examples: [
          "tap card keys --format schema": "Print the JSON Schema of a card profile, for an editor."
        ],
        exits: [
          .done: "printed"
        ]))

    @OptionGroup var keys: ProfileKeys

    func run() { keys.run(.card) }
  }
}
