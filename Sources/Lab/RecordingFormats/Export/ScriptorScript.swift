internal import Octets
public import Transcripts

extension RecordingFormat {
  /// A script for scriptor (pcsc-tools): `reset`, and commands alone; `# < <hex>` after a command is its response.
  public static let scriptorScript = RecordingFormat(
    name: "scriptor", title: "scriptor script", reader: ScriptorReader.self, write: { Array($0.scriptor.utf8) }
  ) {
    $0.place == .leadingComment
      ? $0.text.begins(with: "# scriptor") : $0.place == .first && $0.text.lowercased() == "reset"
  }
}

extension Transcript {
  /// The commands as a script for scriptor (pcsc-tools), unredacted. scriptor sends them to a card.
  ///
  /// Header lines and the recorded responses are comments, `# < <hex>`, so that reading the script gives the exchanges
  /// back. The script has no directives.
  public var scriptor: String {
    var lines = ["# scriptor script"] + notes.filter { $0.key == nil }.map(\.line) + ["reset"]
    for exchange in exchanges {
      lines.append(exchange.command.spacedHex)
      if let response = exchange.response { lines.append("# < \(response.spacedHex)") }
    }
    return lines.map { $0 + "\n" }.joined()
  }
}

/// Reads commands, `reset` and comments.
private struct ScriptorReader: LogReader {
  mutating func read(_ line: String, _ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {
    if let digits = line.after("# < "), let octets = try? [UInt8](hex: digits), builder.isWaiting {
      try builder.loggedResponse(octets, line: number)
    } else if let digits = line.after("# ATR: "), let octets = try? [UInt8](hex: digits) {
      builder.header("ATR", octets.hex)
    } else if let name = line.after("# PROTOCOL: ") {
      builder.header("PROTOCOL", name.trimmed)
    } else if line.begins(with: "# scriptor") || line.lowercased() == "reset" {
      return
    } else if line.begins(with: "#") {
      builder.comment(String(Substring(line.utf8.dropFirst())))
    } else {
      try builder.command(try [UInt8](hex: line[...].beforeComment, line: number), line: number)
    }
  }
}

extension [UInt8] {
  fileprivate var spacedHex: String { map { [$0].hex }.joined(separator: " ") }
}
