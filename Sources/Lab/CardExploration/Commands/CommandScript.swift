internal import ISO7816
internal import Octets
internal import Transcripts

/// Commands as text: hexadecimal digits, in which spaces and colons do not count.
public enum CommandScript {
  /// The most commands of one run: the most exchanges of a recording.
  public static let maximumCount = 20_000

  /// The commands of a script, one in a line; `#` and `//` begin comments, and empty lines do not count.
  ///
  /// - Parameters:
  ///   - text: The script.
  ///   - name: The file's name, for messages.
  ///   - isRaw: Whether bytes that are no command are kept.
  /// - Throws: `CommandTextError` that names all lines which are no command.
  public static func commands(
    _ text: [UInt8], named name: String, isRaw: Bool
  ) throws(CommandTextError) -> [[UInt8]] {
    var commands: [[UInt8]] = []
    var problems: [(text: String, kind: CommandTextError.Kind)] = []
    let lines = String(decoding: text, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let beforeSign = line.utf8.prefix { $0 != UInt8(ascii: "#") }
      let code = Substring(beforeSign[..<(beforeSign.firstRange(of: "//".utf8)?.lowerBound ?? beforeSign.endIndex)])
      guard !code.allSatisfy(\.isWhitespace) else { continue }
      do throws(CommandTextError) {
        commands.append(try command(String(code), isRaw: isRaw))
      } catch {
        problems.append(("\(name), line \(index + 1): \(error)", error.kind))
      }
    }
    guard problems.isEmpty else {
      let isRefused = problems.contains { $0.kind == .notACommand }
      throw CommandTextError(isRefused ? .notACommand : .form, problems.map(\.text).joined(separator: "\n"))
    }
    guard !commands.isEmpty else { throw CommandTextError(.form, "\(name) has no command: write one in a line") }
    guard commands.count <= maximumCount else {
      throw CommandTextError(.form, "\(name) has \(commands.count) commands: the limit is \(maximumCount)")
    }
    return commands
  }

  /// One command.
  ///
  /// - Throws: `CommandTextError` for text that is not hexadecimal and for bytes that are no command; with `isRaw` every command
  ///   of 2 bytes or more is accepted.
  public static func command(_ text: String, isRaw: Bool) throws(CommandTextError) -> [UInt8] {
    let octets: [UInt8]
    do throws(OctetsError) {
      octets = try [UInt8](hex: text.filter { $0 != ":" })
    } catch {
      throw CommandTextError(.form, "\"\(QuotedText.shown(text, limit: 60))\" is no command in hexadecimal: \(error)")
    }
    // A virtual reader takes a single byte for a control byte, and no reader sends nothing.
    guard octets.count >= 2 else {
      throw CommandTextError(
        .form, "\"\(QuotedText.shown(text))\" has \(octets.count.bytes): a command has at least 4 (CLA INS P1 P2)")
    }
    guard octets.count <= 65_544 else {
      throw CommandTextError(.form, "a command of \(octets.count.bytes): the limit is 65544")
    }
    if isRaw { return octets }
    do throws(APDUError) {
      _ = try CommandAPDU(parsing: octets.span)
    } catch {
      throw CommandTextError(.notACommand, "\"\(QuotedText.shown(text, limit: 60))\" is no command: \(error)")
    }
    return octets
  }
}
