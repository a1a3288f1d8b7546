import ISO7816
import Links
import Octets
import USBSimulator

extension EvidenceRun {
  /// SELECT of the Proximity Payment System Environment, which every payment card has.
  static let selection: [UInt8] = [0x00, 0xA4, 0x04, 0x00, 0x0E] + Array("2PAY.SYS.DDF01".utf8) + [0x00]
  /// How often a command is sent whose times are measured.
  private static let sampleCount = 20

  /// Sends the same command again and again, and compares the responses.
  mutating func exchange() throws(LinkError) -> Ending {
    let responses = try visited { (_, send) throws(LinkError) in
      var responses: [TimedResponse] = []
      for _ in 0..<Self.sampleCount { responses.append(try send(Self.selection)) }
      return responses
    }
    guard let first = responses.first else { return .failed("no command was sent") }
    selected = first.octets
    evidence.commands.append(Self.times(of: Self.selection, responses))
    if let index = responses.firstIndex(where: { $0.octets != first.octets }) {
      return .failed(
        "the response to command \(index + 1) differs from that to command 1, which was the same command")
    }
    let times = responses.map(\.microseconds).sorted()
    return .passed("\(responses.count) equal responses, \(times[0]) to \(times[times.count - 1]) us")
  }

  static func times(of command: [UInt8], _ responses: [TimedResponse]) -> ReaderEvidence.Command {
    .init(
      header: Array(command.prefix(4)), commandCount: command.count, responseCount: responses[0].octets.count,
      microseconds: responses.map(\.microseconds))
  }

  /// Asks the reader for the answer to select, the length of the identifier, and its firmware.
  mutating func identity() throws(LinkError) -> Ending {
    guard let answerToReset else { return .skipped("the reader has reported no card") }
    var card = ReaderEvidence.Card(answerToReset: answerToReset)
    if reader.prefix == "pcsc" {
      let asksFirmware = device?.isACR122 ?? false
      let found = try visited { (_, send) throws(LinkError) in
        let identifier = try send([0xFF, 0xCA, 0x00, 0x00, 0x00]).octets.data
        let answerToSelect = try send([0xFF, 0xCA, 0x01, 0x00, 0x00]).octets.data
        // The firmware is text without a status word.
        let firmware = asksFirmware ? try send([0xFF, 0x00, 0x48, 0x00, 0x00]).octets : nil
        return (identifier, answerToSelect, firmware)
      }
      redaction.cardIdentifiers = found.0.map { [$0] } ?? []
      card.identifierCount = found.0?.count
      card.answerToSelect = found.1.map(redaction.redacted)
      card.type = Self.type(identifier: found.0, answerToSelect: found.1, answerToReset)
      if let text = found.2.flatMap(Self.text(ofFirmware:)) { evidence.firmware = text }
    } else {
      // Programs of this project search with a chip for cards of type A only.
      card.type = "A"
    }
    card.answerToReset = redaction.redacted(answerToReset)
    evidence.card = card
    let type = card.type.map { "type \($0)" } ?? "type not reported"
    let count = card.identifierCount.map { "identifier of \($0.bytes)" } ?? "identifier not reported"
    return .passed("\(type), \(count), \(card.answerToSelect == nil ? "ATS not reported" : "ATS reported")")
  }

  /// A random identifier of type A begins with 08 (ISO/IEC 14443-3). The answer to reset of type B has 4 bytes of application
  /// data, 3 of protocol information and one whose lower half is zero (PC/SC part 3, 3.1.3.2.3.1).
  private static func type(identifier: [UInt8]?, answerToSelect: [UInt8]?, _ answerToReset: [UInt8]) -> String? {
    if let answerToSelect, (try? AnswerToSelect(parsing: answerToSelect.span)) != nil { return "A" }
    guard let identifier else { return nil }
    if [7, 10].contains(identifier.count) || identifier.count == 4 && identifier[0] == 0x08 { return "A" }
    let history = (try? AnswerToReset(parsing: answerToReset))?.historicalBytes ?? []
    return history.count == 8 && identifier.count == 4 && history[7] & 0x0F == 0 ? "B" : nil
  }

  private static func text(ofFirmware octets: [UInt8]) -> String? {
    let isText = (4...40).contains(octets.count) && octets.allSatisfy { (0x20...0x7E).contains($0) }
    return isText ? String(decoding: octets, as: UTF8.self) : nil
  }

  /// Opens the card again, which resets it.
  mutating func reset() throws(LinkError) -> Ending {
    let (identity, response) = try visited { (identity, send) throws(LinkError) in
      (identity, try send(Self.selection).octets)
    }
    guard identity.answerToReset == answerToReset else { return .failed("the answer to reset differs after a reset") }
    guard selected == nil || response == selected else {
      return .failed("the response to the same command differs after a reset")
    }
    return .passed("the same answer to reset and the same response")
  }

  /// Sends a command with the most data of the short form. At a chip some drivers carry 250 bytes only.
  mutating func longCommand() throws(LinkError) -> Ending {
    let count: UInt8 = reader.prefix == "pcsc" ? 0xFF : 0xF0
    let command = [0x00, 0xA4, 0x04, 0x00, count] + [UInt8](repeating: 0, count: Int(count)) + [0x00]
    let response = try visited { (_, send) throws(LinkError) in try send(command) }
    evidence.commands.append(Self.times(of: command, [response]))
    return .passed("a command of \(command.count.bytes) has the response \(Array(response.octets.suffix(2)).hex)")
  }

  /// Calls a function with the card that is on the reader.
  private func visited<Value>(
    _ work: @escaping (CardIdentity, CommandTransmission) throws(LinkError) -> Value
  ) throws(LinkError) -> Value {
    guard let value = try reader.visit(within: Self.readiness, work) else {
      throw LinkError(.timedOut, "no card is on the reader")
    }
    return value
  }
}

extension [UInt8] {
  /// The data of a response with the status word 9000; nil for another response, and without data.
  fileprivate var data: [UInt8]? { count > 2 && suffix(2).elementsEqual([0x90, 0x00]) ? dropLast(2) : nil }
}
