import EMVData
import Foundation
import ISO7816
import Octets
import Synchronization

/// The commands of the shell.
enum ShellCommands {
  /// One command.
  struct Command: Sendable {
    let name: String
    /// Its form with its arguments.
    let form: String
    /// One sentence about it.
    let help: String
    /// How many arguments it takes.
    let counts: ClosedRange<Int>
    let action: @Sendable ([String]) throws -> ShellAction
  }

  /// All commands, in the order of the help.
  static let all: [Command] = [
    Command(
      name: "select", form: "select AID|NAME", help: "SELECT an application; ppse is the directory.", counts: 1...1,
      action: { try .select($0[0]) }),
    Command(
      name: "options", form: "options", help: "GET PROCESSING OPTIONS for an amount of zero; cards count it.",
      counts: 0...0, action: { _ in .options }),
    Command(
      name: "read", form: "read SFI RECORD", help: "READ RECORD.", counts: 2...2, action: { try .read($0) }),
    Command(name: "get", form: "get TAG", help: "GET DATA.", counts: 1...1, action: { try .get($0[0]) }),
    Command(
      name: "card", form: "card", help: "Show the answer to reset in words.", counts: 0...0, action: { _ in .card }),
    Command(
      name: "decode", form: "decode HEX", help: "Show octets in words, without sending them.", counts: 1...Int.max,
      action: { try .decode($0) }),
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
    "visa": [0xA0, 0, 0, 0, 0x03, 0x10, 0x10], "mastercard": [0xA0, 0, 0, 0, 0x04, 0x10, 0x10],
    "maestro": [0xA0, 0, 0, 0, 0x04, 0x30, 0x60], "amex": [0xA0, 0, 0, 0, 0x25, 0x01],
  ]

  /// The lines of the help.
  static func help(_ name: String?) throws -> [String] {
    let commands = all.filter { name == nil || $0.name == name }
    guard !commands.isEmpty else {
      throw FileError(description: "help \(name?.prefix(40) ?? ""): no such command; help lists them")
    }
    let width = commands.map(\.form.count).max() ?? 0
    let lines = commands.map { $0.form + String(repeating: " ", count: width - $0.form.count + 2) + $0.help }
    guard name == nil else { return lines }
    return ["Hexadecimal digits are a command for the card, such as 80CA9F3600. # begins a comment."] + lines
  }
}

/// The words with which the shell completes a line.
final class ShellWords: Sendable {
  // The applications that the card has named.
  private let applications = Mutex<[[UInt8]]>([])

  /// Adds the applications of the card's directory.
  func learn(_ response: ResponseAPDU) {
    let names = (try? FileControlInformation(parsing: response.data))?.directory.map(\.adfName.octets) ?? []
    applications.withLock { known in known += names.filter { !known.contains($0) } }
  }

  /// The words that can stand in place of the last word of a line.
  ///
  /// - Parameters:
  ///   - line: The line before the word.
  ///   - word: The beginning of the word; upper and lower case are equal.
  func candidates(after line: String, for word: String) -> [String] {
    let words = line.split(separator: " ")
    let all: [String] =
      switch words.first {
      case nil: ShellCommands.all.map(\.name)
      case "help" where words.count == 1: ShellCommands.all.map(\.name)
      case "select" where words.count == 1: identifiers
      case "get" where words.count == 1: Self.tags.filter { $0.count <= 4 }
      case "tag" where words.count == 1: Self.tags
      case "record" where words.count == 1: ["off"] + Self.files(word)
      default: []
      }
    return all.filter { $0.lowercased().hasPrefix(word.lowercased()) }
  }

  private var identifiers: [String] {
    let known = applications.withLock { $0 }
    let further = CardDump.knownApplications.filter { !known.contains($0) }
    return ShellCommands.names.keys.sorted() + (known + further).map(\.hex)
  }

  private static let tags = DataElement.all.map { "\($0.tag)" }

  private static func files(_ word: String) -> [String] {
    let folder = word.lastIndex(of: "/").map { String(word[...$0]) } ?? ""
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
    return names.sorted().map { folder + $0 }
  }
}
