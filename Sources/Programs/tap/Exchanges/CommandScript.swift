import ISO7816
import Octets

/// Commands as text: hexadecimal digits, in which spaces and colons do not count.
enum CommandScript {
  /// The most commands of one run: the most exchanges of a recording.
  static let maximumCount = 20_000

  /// The commands of a script, one in a line; `#` and `//` begin comments, and empty lines do not count.
  ///
  /// - Parameters:
  ///   - text: The script.
  ///   - name: The file's name, for messages.
  ///   - isRaw: Whether octets that are no command are kept.
  /// - Throws: `FileError` that names all lines which are no command.
  static func commands(_ text: [UInt8], named name: String, isRaw: Bool) throws -> [[UInt8]] {
    var commands: [[UInt8]] = []
    var problems: [String] = []
    let lines = String(decoding: text, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let code = line.prefix { $0 != "#" }.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false)[0]
      guard !code.allSatisfy(\.isWhitespace) else { continue }
      do {
        commands.append(try command(String(code), isRaw: isRaw))
      } catch {
        problems.append("\(name), line \(index + 1): \(error)")
      }
    }
    guard problems.isEmpty else { throw FileError(description: problems.joined(separator: "\n")) }
    guard !commands.isEmpty else { throw FileError(description: "\(name) has no command: write one in a line") }
    guard commands.count <= maximumCount else {
      throw FileError(description: "\(name) has \(commands.count) commands: the limit is \(maximumCount)")
    }
    return commands
  }

  /// One command.
  ///
  /// - Throws: `FileError` for text that is not hexadecimal and for octets that are no command; with `isRaw` every command
  ///   of 2 octets or more is accepted.
  static func command(_ text: String, isRaw: Bool) throws -> [UInt8] {
    let octets: [UInt8]
    do throws(OctetsError) {
      octets = try [UInt8](hex: text.filter { $0 != ":" })
    } catch {
      throw FileError(description: "\"\(text.prefix(60))\" is no command in hexadecimal: \(error)")
    }
    // A virtual reader takes a single octet for a control byte, and no reader sends nothing.
    guard octets.count >= 2 else {
      throw FileError(description: "\"\(text)\" has \(octets.count) octets: a command has at least 4 (CLA INS P1 P2)")
    }
    guard octets.count <= 65_544 else {
      throw FileError(description: "a command of \(octets.count) octets: the limit is 65544")
    }
    if isRaw { return octets }
    do throws(APDUError) {
      _ = try CommandAPDU(parsing: octets.span)
    } catch {
      throw FileError(description: "\"\(text.prefix(60))\" is no command: \(error). --raw sends it as it is")
    }
    return octets
  }
}
