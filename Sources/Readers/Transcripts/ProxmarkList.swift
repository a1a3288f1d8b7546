internal import Octets

/// The APDUs of a Proxmark trace as JSON: `exchanges` of `capdu`, `rapdu`, and times in milliseconds.
enum ProxmarkList {
  static func read(_ text: String, into builder: inout ImportBuilder) throws(TranscriptError) {
    let json = try JSONText(parsing: text)
    guard let exchanges = json["exchanges"] else {
      throw ImportedLine.fault(json.kind, "an object with \"exchanges\"", json.line)
    }
    for key in ["source", "device", "note"] {
      if let text = json[key] { builder.comment("\(key): \(try text.string("a text"))") }
    }
    if let octets = json["ats"] { builder.comment("ATS: \(try octets.string("octets in hexadecimal"))") }
    var start: Double?
    for exchange in try exchanges.array("an array of exchanges") {
      guard let command = exchange["capdu"] else {
        throw ImportedLine.fault(exchange.kind + " without it", "an exchange with \"capdu\"", exchange.line)
      }
      try builder.command(try octets(command), command.line)
      let instant = exchange["pcd_start_ms"]?.number
      start = start ?? instant
      if let at = nanoseconds(instant.flatMap { now in start.map { now - $0 } }) {
        builder.amendCommand(.directive(.instant, String(at)))
      }
      try answer(exchange, command.line, &builder)
    }
  }

  private static func answer(
    _ exchange: JSONText, _ line: Int, _ builder: inout ImportBuilder
  ) throws(TranscriptError) {
    let response = try exchange["rapdu"].map(octets) ?? []
    if case .literal("true")? = exchange["rapdu_truncated"]?.value {
      builder.torn("the end of the answer was not recorded: \(response.count) octets of it were", line)
    } else if response.isEmpty {
      builder.torn("no answer was recorded", line)
    } else {
      let time = nanoseconds(exchange["final_iblock_start_after_cmd_end_ms"]?.number)
      try builder.answer(response, line, after: time)
    }
  }

  private static func octets(_ json: JSONText) throws(TranscriptError) -> [UInt8] {
    try ImportedLine.octets(try json.string("octets in hexadecimal")[...], json.line)
  }

  // Up to a year; anything else is no time.
  private static func nanoseconds(_ milliseconds: Double?) -> Int64? {
    guard let milliseconds, (0...31_536_000_000).contains(milliseconds) else { return nil }
    return Int64((milliseconds * 1000).rounded()) * 1000
  }
}
