import ArgumentParser
import CardExploration
import Links
import Octets

/// Talks with a card command by command.
struct ShellCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shell",
    abstract: "Talk with a card command by command; each response is shown in words.",
    discussion: """
      A line is a command of the shell (help lists them) or hexadecimal digits for the card. The tab key completes \
      commands, tags and application identifiers; the history is kept in $XDG_STATE_HOME/tap/history. Lines from a \
      pipe or file are taken without a prompt; a wrong line is reported with its number and the next one is taken. \
      Exit codes from a pipe: 0 every command was answered with 9000 or a warning; 2 with another status; 1 a wrong \
      line, or an error of the link. At a terminal: 0, or 1 when there is no card.
      """)

  @OptionGroup var card: CardOptions
  @Flag(help: "Keep no history of the lines.")
  var noHistory = false

  func run() async throws {
    try await card.reporting(as: .text) {
      let words = ShellWords()
      let input = ShellInput(keepsHistory: !noHistory) { words.candidates(after: $0, for: $1) }
      let recorder = ShellRecorder(card.record, isForced: card.force, try Disclosure(showsAll: card.unredacted))
      let card = card
      let visitor = ShellVisitor(
        input, words, printer: try card.printer(as: .text), recorder: recorder, isUnmasked: card.unmasked,
        check: { try card.check($0) })
      try await talk(visitor, at: try await card.open())
    }
  }

  /// Visits the card until the lines end. A person gets the next card after one that was taken away.
  private func talk(_ first: ShellVisitor, at place: CardPlace) async throws {
    var visitor = first
    do {
      repeat {
        visitor = try await place.stay(visitor, timeout: card.waitLimit)
        if case .failed(let error) = visitor.ending { Console.note("Error: \(error)") }
      } while visitor.goesOn
    } catch {
      await place.close()
      throw error
    }
    await place.close()
    if visitor.input.isInteractive { return }
    if case .failed = visitor.ending { throw ExitCode.failure }
    if visitor.hasMistake { throw ExitCode.failure }
    if visitor.hasErrorStatus { throw ExitCode(2) }
  }
}

extension ShellVisitor {
  /// Whether the next card is waited for.
  fileprivate var goesOn: Bool {
    switch ending {
    case .quit: false
    case .reset: true
    case .failed: input.isInteractive
    }
  }
}
