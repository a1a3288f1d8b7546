import ProgramSupport
import Transcripts
import ArgumentParser
import CardExploration

/// Talks with a card command by command.
struct ShellCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shell",
    abstract: "Talk with a card command by command; each response is shown in words.",
    help: CommandHelp(
      """
      A line is a command of the shell (help lists them) or hexadecimal digits for the card. The tab key \
      completes commands, tags and application identifiers; the history is kept in \
      $XDG_STATE_HOME/tap/history. Ctrl-C discards the line, and ends the shell while it waits for the card. \
      Lines from a pipe or file are taken without a prompt; a wrong line is reported with its number and the \
      next one is taken. At a terminal only a card that is not there changes the exit code.
      """,
      examples: [
        "tap shell --reader pcsc:ACR122U": "Send commands to the card at a reader.",
        "tap shell --reader loopback:card.json < lines.txt": "Send the lines of a file to a card in this process.",
      ],
      exits: [
        .done: "every command was answered with 9000 or a warning",
        .notRight: "a command was answered with another status, a line is wrong, or the card left",
        .notReached: "no card or reader was reached",
      ],
      environment: [
        .reader, .init("XDG_STATE_HOME", "the folder of the history, ~/.local/state when it is not set"),
      ],
      related: ["tap-send", "tap-decode"]))

  private typealias Visitor = ShellVisitor<ShellInput, ExchangePrinter>

  @OptionGroup var card: CardOptions
  @Flag(help: "Keep no history of the lines.")
  var noHistory = false

  func run() async throws {
    try await Console.reportingErrors {
      let words = ShellCompletions()
      let input = ShellInput(keepsHistory: !noHistory) { words.candidates(after: $0, for: $1) }
      let recorder = ShellRecorder(card.record, isForced: card.force, try Disclosure(showsAll: card.unredacted))
      let card = card
      let visitor = ShellVisitor(
        input, words, observer: try card.printer(as: .text), recorder: recorder, isUnmasked: card.unmasked,
        check: { try card.check($0) })
      try await talk(visitor, at: try await card.open(), isInteractive: input.isInteractive)
    }
  }

  /// Visits the card until the lines end. A person gets the next card after one that was taken away.
  private func talk(_ first: Visitor, at place: CardPlace, isInteractive: Bool) async throws {
    var visitor = first
    do {
      repeat {
        visitor = try await place.stay(visitor, timeout: card.waitLimit)
        if case .failed(let error) = visitor.ending { Console.note("error: \(error)") }
      } while goesOn(after: visitor.ending, isInteractive: isInteractive)
    } catch {
      await place.close()
      throw error
    }
    await place.close()
    if isInteractive { return }
    if case .failed(let error) = visitor.ending { throw Exit(error).code }
    if visitor.hasMistake || visitor.hasErrorStatus { throw Exit.notRight.code }
  }

  /// Whether the next card is waited for.
  private func goesOn(after ending: Visitor.Ending, isInteractive: Bool) -> Bool {
    switch ending {
    case .quit: false
    case .reset: true
    case .failed: isInteractive
    }
  }
}
