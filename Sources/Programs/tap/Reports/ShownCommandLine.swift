import DisplayText

/// The command line of this program as a report shows it: a page is shared, and a command line can hold a secret.
enum ShownCommandLine {
  /// Options whose value is a command line of its own.
  private static let commands: Set<String> = ["--observe"]

  /// The words of this process.
  static var text: String { text(of: Array(CommandLine.arguments.dropFirst())) }

  /// The words as they are typed in a shell. Of a command in an option, and of the user in a URL, only an ellipsis is left.
  static func text(of arguments: [String]) -> String {
    var words = ["tap"]
    for (index, word) in arguments.enumerated() {
      let option = String(word.prefix { $0 != "=" })
      if index > 0, commands.contains(arguments[index - 1]) {
        words.append("…")
      } else if option != word, commands.contains(option) {
        words.append("\(option)=…")
      } else {
        words.append(word.replacing(/:\/\/[^\/@\s]*@/, with: "://…@").shellWord)
      }
    }
    return words.joined(separator: " ")
  }
}
