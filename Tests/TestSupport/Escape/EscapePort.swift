import ISO7816

/// The microcontroller of an ACR122U between the driver and the chip (ACS, ACR122U Application Programming Interface
/// 2.04): pseudo-APDUs in, answers out, each in a frame of the driver. Pure.
package struct EscapePort: Sendable {
  package enum Step: Equatable {
    /// Send bytes to the driver.
    case send([UInt8])
    /// Run a command: its code and parameters. The caller calls `answer(_:)` with the response.
    case command([UInt8])
  }

  /// The card types for which the reader polls by itself; bit 8 switches polling on.
  package private(set) var operatingParameter: UInt8 = 0xFF
  /// In units of 5 s; 00 and FF are without a limit.
  package private(set) var timeoutParameter: UInt8 = 0x00
  /// Whether the driver waits for the chip.
  package private(set) var isWaiting = false
  /// Whether the driver gets 61xx and must fetch each response, as an ACR122U requires it of a driver with T=0.
  private let announces: Bool
  private var announced: [UInt8] = []
  private var octets: [UInt8] = []

  package init(announces: Bool = false) {
    self.announces = announces
  }

  /// Takes bytes from the driver, cut anywhere.
  package mutating func receive(_ more: [UInt8]) -> [Step] {
    octets += more
    var steps: [Step] = []
    while let frame = nextFrame() { steps.append(take(frame)) }
    return steps
  }

  private mutating func nextFrame() -> [UInt8]? {
    guard octets.count >= 2 else { return nil }
    let end = 2 + (Int(octets[0]) << 8 | Int(octets[1]))
    guard octets.count >= end else { return nil }
    defer { octets.removeFirst(end) }
    return Array(octets[2..<end])
  }

  private mutating func take(_ frame: [UInt8]) -> Step {
    if frame.count == 5, frame[0...3] == [0xFF, 0xC0, 0x00, 0x00], !announced.isEmpty {
      defer { announced = [] }
      return .send(Self.framed(announced))
    }
    guard frame.count >= 5, frame[0] == 0xFF, frame[1] == 0x00 else { return refusal }
    switch frame[2] {
    case 0x00 where frame.count >= 7 && frame.count == 5 + Int(frame[4]) && frame[5] == 0xD4:
      isWaiting = true
      return .command(Array(frame[6...]))
    case 0x41: timeoutParameter = frame[3]
    case 0x50: return .send(Self.framed([0x90, operatingParameter]))
    case 0x51:
      operatingParameter = frame[3]
      return .send(Self.framed([0x90, operatingParameter]))
    default: return refusal
    }
    return .send(Self.framed([0x90, 0x00]))
  }

  private var refusal: Step { .send(Self.framed([0x63, 0x00])) }

  /// Takes the response of the chip.
  ///
  /// - Returns: The bytes for the driver, or nil when the driver does not wait any more.
  package mutating func answer(_ response: [UInt8]) -> [UInt8]? {
    guard isWaiting else { return nil }
    isWaiting = false
    // An error frame of the chip.
    if response == [0x7F] { return Self.framed([0x63, 0x7F]) }
    let answer = [0xD5] + response + [0x90, 0x00]
    guard announces, let count = UInt8(exactly: answer.count) else { return Self.framed(answer) }
    announced = answer
    return Self.framed([0x61, count])
  }

  /// Ends the wait: the reader's time limit for its chip is over.
  package mutating func endByReader() -> [UInt8] {
    isWaiting = false
    return Self.framed([0x63, 0x01])
  }

  /// Ends the wait: the driver's time limit for the reader is over.
  package mutating func endByDriver() -> [UInt8] {
    isWaiting = false
    return Self.framed([])
  }

  /// Forgets a partial frame, a running command and a response to be fetched, after the driver closed the connection.
  package mutating func close() {
    isWaiting = false
    announced = []
    octets = []
  }

  /// How long the reader waits for its chip; nil is without a limit.
  package var chipTimeout: Duration? {
    [0x00, 0xFF].contains(timeoutParameter) ? nil : .seconds(5) * Int(timeoutParameter)
  }

  /// A frame of the driver. Content is at most 265 bytes behind D5, so its count always fits two bytes.
  private static func framed(_ octets: [UInt8]) -> [UInt8] {
    [UInt8(octets.count >> 8), UInt8(octets.count & 0xFF)] + octets
  }
}
