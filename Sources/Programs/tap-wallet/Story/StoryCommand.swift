import ArgumentParser
import DisplayText
import Octets
import ProgramSupport

/// Draws the journal of a story.
struct StoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "story", abstract: "Draw the messages in the file of --journal.",
    help: CommandHelp(
      """
      Each line of the file is JSON: a message has the members from, to and text, refused where the receiver \
      refused, and at, the time in ISO 8601. A line with the members step and text, and milliseconds, is the result \
      of the messages before it, with refused where the step was refused or failed. Other programs may append lines.
      """,
      examples: [
        "tap-wallet story journal.jsonl --html story.html": "Draw the messages as text, and as a page."
      ],
      exits: [
        .done: "drawn",
        .error: "a file cannot be read or written",
        .notRight: "the file is no journal, or has no message",
      ]))

  @Argument(help: ArgumentHelp("The journal.", valueName: "file"), completion: .file())
  var journal: String
  @Option(
    help: ArgumentHelp("Write the picture as one page of HTML to a file.", valueName: "file"), completion: .file())
  var html: String?

  func run() async throws {
    do throws(CommandFailure) {
      let diagram = SequenceDiagram(try Journal(path: journal).entries())
      guard !diagram.parts.isEmpty else {
        throw CommandFailure("File", "\(journal): the journal has no message", .notRight)
      }
      if let html { try OptionFiles.write(diagram.html.text, to: html) }
      let output = EventOutput.ofWallet(.text)
      for line in diagram.lines { output.print(line.visible()) }
    } catch {
      Console.note("error: \(error.message) (\(error.code))")
      throw error.exit.code
    }
  }
}
