internal import Documents
internal import ISO7816
internal import JSON
internal import Octets
internal import Transcripts

/// What a line of the shell asks for.
public enum ShellAction: Equatable, Sendable {
  /// Send a command to the card.
  case send([UInt8])
  /// GET PROCESSING OPTIONS for an amount of zero, with the values that the selected application asks for.
  case options
  /// Show bytes in words.
  case decode([UInt8])
  /// Show what the dictionary has about a tag, or about all tags whose names contain a word.
  case describe(String)
  /// Show the card's answer to reset.
  case card
  /// Write the exchanges to a file from now on.
  case record(String)
  /// Write no file any more.
  case stopRecording
  /// Switch the field off and on.
  case reset
  /// List the commands, or one.
  case help(String?)
  /// End the shell.
  case quit

  /// A line of the shell.
  ///
  /// - Returns: Nil for an empty line and a comment.
  /// - Throws: `CommandTextError` that names the word and what is possible in its place.
  public static func parsed(_ line: String) throws(CommandTextError) -> ShellAction? {
    let words = Substring(line.utf8.prefix { $0 != UInt8(ascii: "#") }).split(whereSeparator: \.isWhitespace).map(
      String.init)
    guard let first = words.first else { return nil }
    guard let command = ShellCommands.named(first) else { return .send(try octets(words.joined(), of: first)) }
    let arguments = Array(words.dropFirst())
    guard command.counts.contains(arguments.count) else {
      throw CommandTextError(.form, "\(command.name): the form is \(command.form)")
    }
    return try command.action(arguments)
  }

  /// The digits of a command APDU.
  private static func octets(_ digits: String, of first: String) throws(CommandTextError) -> [UInt8] {
    guard digits.allSatisfy({ $0.isHexDigit || $0 == ":" }) else {
      let guess = first.nearest(in: ShellCommands.all.map(\.name)).map { "did you mean \($0)? " } ?? ""
      throw CommandTextError(
        .unknownName,
        "\"\(QuotedText.shown(first))\" is neither a command of the shell nor hexadecimal: \(guess)help lists them")
    }
    return try CommandScript.command(digits, isRaw: false)
  }
}

extension ShellAction {
  /// Whether the line has a PIN or keys.
  public var carriesSecret: Bool {
    guard case .send(let command) = self, command.count > 1 else { return false }
    return SecretCommands.carriesSecret(cla: command[0], ins: command[1])
  }

  /// `select`: an application by its identifier or by a name.
  static func select(_ name: String) throws(CommandTextError) -> ShellAction {
    if let known = ShellCommands.names[name.lowercased()] { return .send(CommandAPDU.select(name: known).encoded) }
    let octets = try? [UInt8](hex: name)
    guard let octets, AID.counts.contains(octets.count) else {
      let names = ShellCommands.names.keys.sorted()
      let guess = name.nearest(in: names).map { "did you mean \($0)? " } ?? ""
      throw CommandTextError(
        .unknownName,
        "select \(QuotedText.shown(name)): \(guess)5 to 16 bytes in hexadecimal or one of \(names.joined(separator: ", ")) are needed"
      )
    }
    return .send(CommandAPDU.select(name: octets).encoded)
  }

  /// `read`: a record of a file.
  static func read(_ arguments: [String]) throws(CommandTextError) -> ShellAction {
    guard let sfi = UInt8(arguments[0]), (1...30).contains(sfi) else {
      throw CommandTextError(.form, "read \(QuotedText.shown(arguments[0])): the short file identifier is 1...30")
    }
    guard let record = UInt8(arguments[1]), record > 0 else {
      throw CommandTextError(.form, "read \(sfi) \(QuotedText.shown(arguments[1])): the record number is 1...255")
    }
    return .send(CommandAPDU.readRecord(record, sfi: sfi).encoded)
  }

  /// `get`: a data object.
  static func get(_ tag: String) throws(CommandTextError) -> ShellAction {
    guard let number = UInt16(tag, radix: 16), Tag(rawValue: UInt32(number)).isWellFormed else {
      throw CommandTextError(
        .form, "get \(QuotedText.shown(tag)): a tag of 2 or 4 hexadecimal digits is needed, such as 9F36")
    }
    return .send(CommandAPDU.getData(number).encoded)
  }

  /// `decode`: bytes of any kind.
  static func decode(_ digits: [String]) throws(CommandTextError) -> ShellAction {
    do throws(OctetsError) {
      return .decode(try [UInt8](hex: digits.joined()))
    } catch {
      throw CommandTextError(.form, "decode: \(error)")
    }
  }
}
