import ArgumentParser

/// A line of `tap-wallet open`: a command of the wallet as it is typed in a shell, without the options of the folder.
enum OpenLine {
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

  /// The sentence for an error of `command`.
  static func message(_ error: any Error) -> String {
    TapWallet.message(for: error).split(separator: "\n").first.map(String.init) ?? "wrong usage"
  }
}
