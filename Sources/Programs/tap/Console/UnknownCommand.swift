import ArgumentParser
import Documents
import JSON

/// A word where a command should be, but none has this name.
struct UnknownCommand {
  /// The command whose subcommand is missing.
  let parent: any ParsableCommand.Type
  let word: String

  /// Looks at the words before the first option; nil when each is a command, or belongs to one.
  static func first(in arguments: [String], of root: any ParsableCommand.Type) -> UnknownCommand? {
    var command = root
    for word in arguments {
      if names(of: command).isEmpty || word.hasPrefix("-") || word == "help" { return nil }
      guard let next = subcommand(word, of: command) else { return UnknownCommand(parent: command, word: word) }
      command = next
    }
    return nil
  }

  /// The word, and the command that was most likely meant.
  var message: String {
    let guess = word.nearest(in: Self.names(of: parent)).map { " Did you mean '\($0)'?" } ?? ""
    return "There is no command '\(word)'.\(guess)"
  }

  private static func subcommand(_ name: String, of command: any ParsableCommand.Type) -> (any ParsableCommand.Type)? {
    command.configuration.subcommands.first { $0.configuration.commandName == name }
  }

  private static func names(of command: any ParsableCommand.Type) -> [String] {
    command.configuration.subcommands.compactMap { $0.configuration.commandName }
  }
}
