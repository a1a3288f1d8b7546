internal import JSON
internal import Octets
internal import Transcripts

extension RecordingFormat {
  /// JSON with `exchanges` of `capdu`, `rapdu` and times in milliseconds, made from a Proxmark trace.
  public static let proxmarkAPDUList = RecordingFormat(
    name: "proxmark-json", title: "Proxmark APDU list",
    recognisesLine: { line in
      line.place == .first && line.beginsObject && line.beginning.contains("\"capdu\"")
    },
    read: { (octets) throws(TranscriptError) in
      try ProxmarkAPDUList.read(.transcript(parsing: octets))
    })
}

private enum ProxmarkAPDUList {
  static func read(_ json: JSONValue) throws(TranscriptError) -> RecordingContents {
    let exchanges = try json.member("exchanges")
    var builder = TranscriptBuilder()
    for key in ["source", "device", "note"] {
      if let value = json[key] { builder.comment("\(key): \(try value.text(expected: "text"))") }
    }
    if let value = json["ats"] { builder.comment("ATS: \(try value.text(expected: "bytes in hexadecimal"))") }
    var start: Double?
    for exchange in try exchanges.list(expected: "a list of exchanges") {
      let command = try exchange.member("capdu")
      try builder.command(try command.octets(), line: command.position.line)
      let instant = exchange["pcd_start_ms"]?.number
      start = start ?? instant
      if let arrival = nanoseconds(instant.flatMap { now in start.map { now - $0 } }) {
        builder.commandDirective(.instant, String(arrival))
      }
      try read(responseOf: exchange, line: command.position.line, &builder)
    }
    return builder.contents
  }

  private static func read(
    responseOf exchange: JSONValue, line: Int, _ builder: inout TranscriptBuilder
  ) throws(TranscriptError) {
    let response = try exchange["rapdu"]?.octets() ?? []
    if exchange["rapdu_truncated"]?.flag == true {
      builder.tear("the end of the response was not recorded, only its first \(response.count.bytes)", line: line)
    } else if response.isEmpty {
      builder.tear("no response was recorded", line: line)
    } else {
      let time = nanoseconds(exchange["final_iblock_start_after_cmd_end_ms"]?.number)
      try builder.loggedResponse(response, line: line, after: time)
    }
  }

  /// Converts milliseconds of up to a year; other numbers are not a time.
  private static func nanoseconds(_ milliseconds: Double?) -> Int64? {
    guard let milliseconds, (0...31_536_000_000).contains(milliseconds) else { return nil }
    return Int64((milliseconds * 1000).rounded()) * 1000
  }
}
