internal import ArgumentParser
internal import Documents
internal import JSON

/// A word of a command line that should be a command or an option, but none has this name.
struct UnknownWord {
  /// The command that does not have it.
  let command: any ParsableCommand.Type
  /// The word, and the name that was most likely meant.
  let message: String

  private init(_ kind: String, _ word: String, of command: any ParsableCommand.Type, known: some Sequence<String>) {
    self.command = command
    let guess = word.nearest(in: known).map { " Did you mean \"\($0)\"?" } ?? ""
    message = "unknown \(kind) \"\(word)\".\(guess)"
  }

  /// Looks at the words before the first option; nil when each is a command, or belongs to one.
  static func command(in arguments: [String], of root: any ParsableCommand.Type) -> UnknownWord? {
    let (command, rest) = meant(by: arguments, of: root)
    guard let word = rest.first, !word.hasPrefix("-"), !command.configuration.subcommands.isEmpty else { return nil }
    return UnknownWord("command", word, of: command, known: command.configuration.subcommands.map { $0._commandName })
  }

  /// Looks at the options of a command line that the parser has refused; nil when the command has each of them.
  static func option(in arguments: [String], of root: any ParsableCommand.Type) -> UnknownWord? {
    let (command, words) = meant(by: arguments, of: root)
    guard let known = OptionNames(of: command) else { return nil }
    var rest = words.prefix { $0 != "--" }
    while let word = rest.popFirst() {
      guard word.hasPrefix("-"), word.count > 1, !NegativeValues.isNegative(word) else { continue }
      let name = String(word.prefix { $0 != "=" })
      guard let takesValue = known.takesValue(name) else {
        return UnknownWord("option", name, of: command, known: known.names.filter { $0.hasPrefix("--") })
      }
      // The parser takes any word but another option as the value.
      if takesValue, name == word, let value = rest.first, !value.hasPrefix("-") { rest.removeFirst() }
    }
    return nil
  }

  /// The command that the first words name, and the words behind them.
  private static func meant(
    by arguments: [String], of root: any ParsableCommand.Type
  ) -> (any ParsableCommand.Type, ArraySlice<String>) {
    var (command, rest) = (root, arguments[...])
    if rest.first == "help" { rest.removeFirst() }
    while !command.configuration.subcommands.isEmpty {
      if let next = command.configuration.subcommands.first(where: { $0._commandName == rest.first }) {
        command = next
        rest.removeFirst()
      } else if let next = command.configuration.defaultSubcommand,
        takesWord(next) || rest.first?.hasPrefix("-") != false
      {
        command = next
      } else {
        break
      }
    }
    return (command, rest)
  }

  /// Whether a word may be an argument of the command.
  private static func takesWord(_ command: any ParsableCommand.Type) -> Bool {
    OptionNames(of: command)?.hasArgument == true
  }
}

/// The options of a command, as the parser describes them.
private struct OptionNames {
  /// Whether a value must follow, by name.
  private let named: [String: Bool]
  let hasArgument: Bool

  /// The names with their dashes.
  var names: [String] { named.keys.sorted() }

  init?(of command: any ParsableCommand.Type) {
    guard let description = try? JSONValue(parsing: Array(command._dumpHelp().utf8)),
      let arguments = description["command"]?["arguments"]?.list
    else { return nil }
    // The parser itself has these in every command.
    var named = Dictionary(uniqueKeysWithValues: Self.common.map { ($0, false) })
    for argument in arguments {
      let takesValue = argument["kind"]?.text == "option"
      for name in argument["names"]?.list ?? [] {
        guard let word = name["name"]?.text else { continue }
        named[(name["kind"]?.text == "long" ? "--" : "-") + word] = takesValue
      }
    }
    self.named = named
    hasArgument = arguments.contains { $0["kind"]?.text == "positional" }
  }

  private static let common = [
    "-h", "--help", "--help-hidden", "--version", "--experimental-dump-help", "--generate-completion-script",
  ]

  /// Whether the option needs a value; nil for one that does not exist. Short flags can be joined, as in -qv.
  func takesValue(_ name: String) -> Bool? {
    if let found = named[name] { return found }
    guard !name.hasPrefix("--") else { return nil }
    return named[String(name.prefix(2))]
  }
}
