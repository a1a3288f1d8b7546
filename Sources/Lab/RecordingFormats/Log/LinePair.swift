internal import EMVDecoding

/// A command and its response on one line: `00B2010C00 -> 6A83`, `"command":"00B2010C00","response":"6A83"`, or the fields
/// of a command one by one.
struct LinePair {
  let command: LogItem
  let response: LogItem

  /// Reads a line; nil for one with anything else.
  ///
  /// - Parameter runs: The bytes in the line.
  init?(_ runs: [HexadecimalRun], of line: [UInt8], lines: ClosedRange<Int>, indentation: Int) {
    guard let (command, response) = FieldLine.octets(line) ?? Self.octets(runs, of: line) else { return nil }
    self.command = LogItem(
      label: LogLabel(pairedAs: .command), lines: lines, octets: command, indentation: indentation, isOpen: false)
    self.response = LogItem(
      label: LogLabel(pairedAs: .response), lines: lines, octets: response, indentation: indentation, isOpen: false)
  }

  private static func octets(_ runs: [HexadecimalRun], of line: [UInt8]) -> (command: [UInt8], response: [UInt8])? {
    for (first, second) in zip(runs, runs.dropFirst()) {
      guard first.octets.count >= 4, InstructionNames.isKnownCommand(first.octets),
        LogItem.endsWithStatus(second.octets)
      else { continue }
      let between = line[first.range.upperBound..<second.range.lowerBound]
      // Four bytes of another kind look like a command now and then.
      let isUsual = [0x00, 0x80, 0x84, 0x90, 0x0C, 0x8C, 0xA0, 0xFF].contains(first.octets[0])
      if isUsual && isArrow(between) || LogLabel(endOf: between).side == .response {
        return (first.octets, second.octets)
      }
    }
    return nil
  }

  /// Whether nothing but an arrow to the right, or a bar, stands between command and response.
  private static func isArrow(_ text: ArraySlice<UInt8>) -> Bool {
    let marks = Array(" \t\"'()[]{}`,".utf8)
    var sign = text.drop { marks.contains($0) }
    while let last = sign.last, marks.contains(last) { sign = sign.dropLast() }
    return ["->", "-->", "=>", "==>", ">", "→", "|", "=", ":"].contains(String(decoding: sign, as: UTF8.self))
  }
}
