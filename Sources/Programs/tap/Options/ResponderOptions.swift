import ArgumentParser
import DisplayText
import ProgramSupport

/// A program of the user in place of a card: options of `tap present`.
struct ResponderOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      A program that answers as the card, instead of --card: for each command it reads a line of hexadecimal digits from \
      standard input and writes one with the response; field on, field off, reset and deselected are lines without a \
      response. Started for each tap, without a shell. Never armed.
      """, valueName: "command"))
  var responder: String?
  @Option(
    help: ArgumentHelp(
      "How long the program may take for a response, in milliseconds: 1 to 60000; 5000 when left out.",
      valueName: "ms"))
  var responderLimit: Int?
  @Flag(
    help: """
      Present the program also at nfc: and acr122:, and let each response wait 500 ms more: no relay resistance passes that.
      """)
  var laboratory = false

  /// What `--laboratory` adds to each response. A card that measures the distance to a terminal answers within a few
  /// milliseconds (EMV Book C-2, 6.6); a terminal that does without sees a slow card.
  static let laboratoryWait = Duration.milliseconds(500)

  func validate() throws {
    try require("--responder-limit", responderLimit, in: 1...60_000)
    try require(responder != nil || responderLimit == nil, "--responder-limit needs --responder.")
    try require(responder != nil || !laboratory, "--laboratory needs --responder.")
    _ = try words
  }

  /// The words of the command; nil without the option.
  var words: CommandWords? {
    get throws {
      do throws(CommandWordsError) {
        return try responder.map { (line) throws(CommandWordsError) in try CommandWords(line) }
      } catch .noProgram {
        throw ValidationError("--responder names no program: a command such as 'python3 card.py' is needed.")
      } catch { throw ValidationError("--responder \(responder ?? ""): \(error)") }
    }
  }

  /// How long the program may take, and what is added.
  var times: ResponderCard.Times {
    ResponderCard.Times(
      limit: .milliseconds(responderLimit ?? 5000), addedWait: laboratory ? Self.laboratoryWait : .zero)
  }
}
