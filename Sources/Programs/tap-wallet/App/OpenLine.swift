import AccessMessages
import ArgumentParser

/// A line of `tap-wallet open`: a command of the wallet as it is typed in a shell, without the options of the folder.
enum OpenLine {
  /// The words of a line, between spaces. Characters within quotation marks, `"` or `'`, belong to one word, as in a shell; a mark
  /// that is not closed lasts to the end of the line.
  static func words(_ line: String) -> [String] {
    var (words, word, mark): ([String], String?, Character?) = ([], nil, nil)
    for character in line {
      switch (character, mark) {
      case (_, let open?) where character == open: mark = nil
      case (_, _?): word?.append(character)
      case ("\"", nil), ("'", nil):
        mark = character
        word = word ?? ""
      case (" ", nil):
        if let word { words.append(word) }
        word = nil
      default: word = (word ?? "") + String(character)
      }
    }
    return words + [word].compactMap(\.self)
  }

  /// Reads the words of a line.
  ///
  /// - Throws: The error of the parser for wrong usage, and for a command that is not one of the wallet.
  static func command(_ words: [String], state: String) throws -> any WalletCommand {
    let names = TapWallet.configuration.subcommands.compactMap { $0.configuration.commandName }
    guard let name = words.first, names.contains(name) else {
      throw ValidationError("\(words.first ?? "") is no command of the wallet.")
    }
    let parsed = try TapWallet.parseAsRoot(words + ["--state", state])
    if let command = parsed as? any WalletCommand { return command }
    throw ValidationError("\(name) is no whole command of the wallet, or runs outside of tap-wallet open only.")
  }

  /// Returns the words that can stand in place of the last word of a line: the commands of the wallet, and their words.
  static func completions(after line: String, for word: String) -> [String] {
    let words = line.split(separator: " ").map(String.init)
    let candidates: [String] =
      switch (words.first, words.count) {
      case (nil, _): names + ["quit"]
      case ("biometric", 1): BiometricCommand.Action.allCases.map { $0.rawValue }
      case ("forgot", 1): RecoveryRequest.Secret.allCases.map { $0.rawValue }
      case (let name, 1): followers(of: name)
      default: []
      }
    return candidates.filter { $0.hasPrefix(word) }.sorted()
  }

  /// The commands of the wallet.
  private static var names: [String] {
    TapWallet.configuration.subcommands.filter { command in
      ([command] + command.configuration.subcommands).contains { $0 is any WalletCommand.Type }
    }.compactMap { $0.configuration.commandName }
  }

  /// The words that can follow the name of a command.
  private static func followers(of name: String?) -> [String] {
    let command = TapWallet.configuration.subcommands.first { $0.configuration.commandName == name }
    return command?.configuration.subcommands.compactMap { $0.configuration.commandName } ?? []
  }

  /// The sentence for an error of `command`.
  static func message(_ error: any Error) -> String {
    TapWallet.message(for: error).split(separator: "\n").first.map(String.init) ?? "wrong usage"
  }
}
