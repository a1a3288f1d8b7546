public import ISO7816

/// The exchanges that each pair of `EmulationLink` and `CardChannel` must carry unchanged.
public enum ChannelContract {
  /// A command and the response that must arrive.
  public struct Exchange: Sendable, CustomStringConvertible {
    /// What the exchange tests.
    public let name: String
    /// The bytes of the command.
    public let command: [UInt8]
    /// The bytes of the response.
    public let response: [UInt8]

    /// The name.
    public var description: String { name }

    /// The command as a value.
    public var apdu: CommandAPDU {
      get throws(APDUError) { try CommandAPDU(parsing: command.span) }
    }
  }

  private static func octets(_ count: Int, from first: UInt8 = 0) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: Int(first) + $0) }
  }

  /// Commands of every kind, and the limits of short and extended APDUs.
  public static let exchanges: [Exchange] = [
    Exchange(
      name: "SELECT PPSE", command: [0x00, 0xA4, 0x04, 0x00, 0x0E] + Array("2PAY.SYS.DDF01".utf8) + [0x00],
      response: [0x6F, 0x10, 0x84, 0x0E] + Array("2PAY.SYS.DDF01".utf8) + [0x90, 0x00]),
    Exchange(name: "a status word alone", command: [0x00, 0x70, 0x00, 0x00], response: [0x69, 0x85]),
    Exchange(name: "1 byte of data", command: [0x00, 0xB2, 0x01, 0x0C, 0x01], response: [0x42, 0x90, 0x00]),
    Exchange(
      name: "256 bytes of data", command: [0x00, 0xB2, 0x02, 0x0C, 0x00], response: octets(256) + [0x90, 0x00]),
    Exchange(
      name: "255 bytes of command data", command: [0x80, 0xE2, 0x00, 0x00, 0xFF] + octets(255, from: 7),
      response: [0x90, 0x00]),
    Exchange(
      name: "an extended command with 300 bytes",
      command: [0x80, 0xE2, 0x00, 0x01, 0x00, 0x01, 0x2C] + octets(300, from: 3), response: [0x01, 0x90, 0x00]),
    Exchange(
      name: "an extended response with 4000 bytes", command: [0x00, 0xB2, 0x03, 0x0C, 0x00, 0x0F, 0xA0],
      response: octets(4000, from: 1) + [0x90, 0x00]),
    Exchange(name: "an unknown instruction", command: [0x00, 0x99, 0x00, 0x00], response: [0x6D, 0x00]),
  ]

  /// A command that the card answers with 6110, and the whole response after GET RESPONSE.
  public static let announced = Exchange(
    name: "61xx", command: [0x00, 0xA4, 0x04, 0x00, 0x05, 0xA0, 0x00, 0x00, 0x00, 0x03, 0x00],
    response: octets(16, from: 0x50) + [0x90, 0x00])

  /// A command that the card answers with 6C08, and the whole response after the second command.
  public static let corrected = Exchange(
    name: "6Cxx", command: [0x00, 0xB2, 0x04, 0x0C, 0x00], response: octets(8, from: 0x60) + [0x90, 0x00])

  /// A card that responses all of these exchanges.
  public static func responder(
    pace: ScriptedResponder.Pace = .prompt, journal: ResponderJournal = ResponderJournal()
  ) -> ScriptedResponder {
    var answers: [[UInt8]: [UInt8]] = [:]
    for exchange in exchanges { answers[exchange.command] = exchange.response }
    answers[announced.command] = [0x61, 0x10]
    answers[[0x00, 0xC0, 0x00, 0x00, 0x10]] = announced.response
    answers[corrected.command] = [0x6C, 0x08]
    answers[[0x00, 0xB2, 0x04, 0x0C, 0x08]] = corrected.response
    return ScriptedResponder(answers, pace: pace, journal: journal)
  }
}
