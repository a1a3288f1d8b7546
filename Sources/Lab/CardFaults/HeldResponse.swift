internal import ISO7816

/// A response that the terminal must fetch with another command: the rest of a chain, or the response to a corrected Le.
enum HeldResponse {
  /// GET RESPONSE fetches the response in parts.
  case chained(ResponseAPDU, part: Int)
  /// The same command with the right Le fetches the response.
  case corrected(ResponseAPDU, header: [UInt8], data: [UInt8])

  /// The response that is sent first.
  var announcement: ResponseAPDU {
    switch self {
    case .chained(let answer, let part):
      ResponseAPDU(status: StatusWord(rawValue: 0x6100 | UInt16(min(part, answer.data.count) & 0xFF)))
    case .corrected(let answer, _, _):
      ResponseAPDU(status: StatusWord(rawValue: 0x6C00 | UInt16(answer.data.count & 0xFF)))
    }
  }

  /// Holds a response back for a corrected Le; nil for a malformed command or a response without data.
  static func corrected(_ answer: ResponseAPDU, to command: [UInt8]) -> HeldResponse? {
    guard (1...256).contains(answer.data.count), let layout = try? CommandLayout(parsing: command.span) else {
      return nil
    }
    let data = command[layout.dataOffset..<layout.dataOffset + layout.dataCount]
    return .corrected(answer, header: Array(command[..<4]), data: Array(data))
  }

  /// The part that a command fetches, and the rest; nil when the command is another one.
  func next(for command: [UInt8]) -> (answer: ResponseAPDU, rest: HeldResponse?)? {
    guard let layout = try? CommandLayout(parsing: command.span) else { return nil }
    switch self {
    case .chained(let answer, let part):
      guard command[0] == 0x00, command[1] == Instruction.getResponse, layout.dataCount == 0 else { return nil }
      let count = min(layout.expectedLength == 0 ? 256 : layout.expectedLength, part, answer.data.count)
      let rest = ResponseAPDU(data: Array(answer.data.dropFirst(count)), status: answer.status)
      if rest.data.isEmpty { return (answer.with(data: Array(answer.data.prefix(count))), nil) }
      let held = HeldResponse.chained(rest, part: part)
      return (ResponseAPDU(data: Array(answer.data.prefix(count)), status: held.announcement.status), held)
    case .corrected(let answer, let header, let data):
      let sent = command[layout.dataOffset..<layout.dataOffset + layout.dataCount]
      guard Array(command[..<4]) == header, Array(sent) == data else { return nil }
      return layout.expectedLength == answer.data.count ? (answer, nil) : (announcement, self)
    }
  }
}

extension ResponseAPDU {
  fileprivate func with(data: [UInt8]) -> ResponseAPDU { ResponseAPDU(data: data, status: status) }
}
