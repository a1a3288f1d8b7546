import ArgumentParser
import DisplayText
import Octets
import ProgramSupport

/// Draws the journal of a story.
struct StoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "story", abstract: "Draw the messages in the file of --journal.",
    discussion: """
      Each line of the file is JSON with the members from, to and text, and refused where the receiver refused. Other \
      programs may append lines.
      """)

  @Argument(help: ArgumentHelp("The journal.", valueName: "file"), completion: .file())
  var journal: String
  @Option(
    help: ArgumentHelp("Write the picture as one page of HTML to a file.", valueName: "file"), completion: .file())
  var html: String?

  func run() async throws {
    do throws(CommandFailure) {
      let diagram = SequenceDiagram(try Journal(path: journal).messages())
      if let html { try OptionFiles.write(diagram.html.text, to: html) }
      let output = EventOutput.ofWallet(.text)
      for line in diagram.lines { output.print(line.visible()) }
    } catch {
      Console.note("error: \(error.message) (\(error.code))")
      throw error.exit.code
    }
  }
}
