/// The microcontroller of an ACR122U between its host and its chip (ACS, ACR122U Application Programming Interface 2.04):
/// pseudo-APDUs in, answers out. Pure.
package struct ChipEscape: Sendable {
  package enum Step: Equatable, Sendable {
    /// Answers the host.
    case send([UInt8])
    /// Runs a command: its code and parameters. The caller calls `answer(_:)` with the response.
    case command([UInt8])
  }

  /// The card types for which the reader polls by itself; bit 8 switches polling on.
  package private(set) var operatingParameter: UInt8 = 0xFF
  /// In units of 5 s; 00 and FF are without a limit.
  package private(set) var timeoutParameter: UInt8 = 0x00
  /// Whether the host waits for the chip.
  package private(set) var isWaiting = false
  /// Whether the host gets 61xx and must fetch each response, as an ACR122U requires it of a driver with T=0.
  private let announces: Bool
  private var announced: [UInt8] = []

  package init(announces: Bool = false) { self.announces = announces }

  /// Takes a pseudo-APDU.
  package mutating func receive(_ command: [UInt8]) -> Step {
    if command.count == 5, command[0...3] == [0xFF, 0xC0, 0x00, 0x00], !announced.isEmpty {
      defer { announced = [] }
      return .send(announced)
    }
    guard command.count >= 5, command[0] == 0xFF, command[1] == 0x00 else { return Self.refusal }
    switch command[2] {
    case 0x00 where command.count >= 7 && command.count == 5 + Int(command[4]) && command[5] == 0xD4:
      isWaiting = true
      return .command(Array(command[6...]))
    case 0x41: timeoutParameter = command[3]
    case 0x50: return .send([0x90, operatingParameter])
    case 0x51:
      operatingParameter = command[3]
      return .send([0x90, operatingParameter])
    default: return Self.refusal
    }
    return .send([0x90, 0x00])
  }

  private static let refusal = Step.send([0x63, 0x00])

  /// Takes the response of the chip.
  ///
  /// - Returns: The answer for the host, or nil when the host does not wait any more.
  package mutating func answer(_ response: [UInt8]) -> [UInt8]? {
    guard isWaiting else { return nil }
    isWaiting = false
    // An error frame of the chip.
    if response == [0x7F] { return [0x63, 0x7F] }
    let answer = [0xD5] + response + [0x90, 0x00]
    guard announces, let count = UInt8(exactly: answer.count) else { return answer }
    announced = answer
    return [0x61, count]
  }

  /// Ends the wait: the reader's time limit for its chip is over.
  package mutating func endByReader() -> [UInt8] {
    isWaiting = false
    return [0x63, 0x01]
  }

  /// Ends the wait without an answer, and discards a response that was not fetched.
  package mutating func abandon() {
    isWaiting = false
    announced = []
  }

  /// How long the reader waits for its chip; nil is without a limit.
  package var chipTimeout: Duration? {
    [0x00, 0xFF].contains(timeoutParameter) ? nil : .seconds(5) * Int(timeoutParameter)
  }
}
