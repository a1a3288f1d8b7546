internal import EMVData

/// The commands of a shell for a card.
public enum ShellCommands {
  /// One command.
  public struct Command: Sendable {
    /// Its name.
    public let name: String
    /// Its form with its arguments.
    public let form: String
    /// One sentence about it.
    public let help: String
    /// How many arguments it takes.
    let counts: ClosedRange<Int>
    let action: @Sendable ([String]) throws(CommandTextError) -> ShellAction
  }

  /// All commands, in the order of the help.
  public static let all: [Command] = [
    Command(
      name: "select", form: "select AID|NAME", help: "SELECT an application; ppse is the directory.", counts: 1...1,
      action: { (words) throws(CommandTextError) in try .select(words[0]) }),
    Command(
      name: "options", form: "options", help: "GET PROCESSING OPTIONS for an amount of zero; cards count it.",
      counts: 0...0, action: { _ in .options }),
    Command(
      name: "read", form: "read SFI RECORD", help: "READ RECORD.", counts: 2...2,
      action: { (words) throws(CommandTextError) in try .read(words) }),
    Command(
      name: "get", form: "get TAG", help: "GET DATA.", counts: 1...1,
      action: { (words) throws(CommandTextError) in try .get(words[0]) }),
    Command(
      name: "card", form: "card", help: "Show the answer to reset in words.", counts: 0...0, action: { _ in .card }),
    Command(
      name: "decode", form: "decode HEX", help: "Show bytes in words, without sending them.", counts: 1...Int.max,
      action: { (words) throws(CommandTextError) in try .decode(words) }),
    Command(
      name: "tag", form: "tag TAG|WORD", help: "Show what a tag means, or the tags whose names have a word.",
      counts: 1...Int.max, action: { .describe($0.joined(separator: " ")) }),
    Command(
      name: "record", form: "record FILE|off", help: "Write all exchanges of the session to a file, or stop.",
      counts: 1...1, action: { $0[0] == "off" ? .stopRecording : .record($0[0]) }),
    Command(
      name: "reset", form: "reset", help: "Switch the field off and on.", counts: 0...0, action: { _ in .reset }),
    Command(
      name: "help", form: "help [COMMAND]", help: "List the commands.", counts: 0...1, action: { .help($0.first) }),
    Command(name: "quit", form: "quit", help: "End the shell, as Ctrl-D does.", counts: 0...0, action: { _ in .quit }),
  ]

  static func named(_ name: String) -> Command? { all.first { $0.name == name } }

  /// Names that `select` takes in place of an identifier.
  static let names: [String: [UInt8]] = [
    "ppse": FileControlInformation.ppseName, "pse": Array("1PAY.SYS.DDF01".utf8),
    "visa": PaymentScheme.visa.provider + [0x10, 0x10], "mastercard": PaymentScheme.mastercard.provider + [0x10, 0x10],
    "maestro": PaymentScheme.mastercard.provider + [0x30, 0x60],
    "amex": PaymentScheme.americanExpress.provider + [0x01], "jcb": PaymentScheme.jcb.provider + [0x10, 0x10],
    "discover": PaymentScheme.discover.provider + [0x30, 0x10],
    "unionpay": PaymentScheme.unionPay.provider + [0x01, 0x01, 0x01],
  ]

  /// The lines of the help.
  ///
  /// - Parameter name: A command; nil for all.
  /// - Throws: `CommandTextError` for an unknown command.
  public static func help(_ name: String?) throws(CommandTextError) -> [String] {
    let commands = all.filter { name == nil || $0.name == name }
    guard !commands.isEmpty else {
      throw CommandTextError(.unknownName, "help \(name?.prefix(40) ?? ""): no such command; help lists them")
    }
    let width = commands.map(\.form.count).max() ?? 0
    let lines = commands.map { $0.form + String(repeating: " ", count: width - $0.form.count + 2) + $0.help }
    guard name == nil else { return lines }
    return ["Hexadecimal digits are a command for the card, such as 80CA9F3600. # begins a comment."] + lines
  }
}
