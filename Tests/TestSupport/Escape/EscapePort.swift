package import ReaderSimulator

/// The microcontroller of an ACR122U behind a driver of ours: pseudo-APDUs in, answers out, each in a frame of the driver.
/// Pure.
package struct EscapePort: Sendable {
  package typealias Step = ChipEscape.Step

  /// What the microcontroller does.
  package private(set) var escape: ChipEscape
  private var octets: [UInt8] = []

  package init(announces: Bool = false) { escape = ChipEscape(announces: announces) }

  /// Takes bytes from the driver, cut anywhere.
  package mutating func receive(_ more: [UInt8]) -> [Step] {
    octets += more
    var steps: [Step] = []
    while let frame = nextFrame() {
      let step = escape.receive(frame)
      if case .send(let answer) = step { steps.append(.send(Self.framed(answer))) } else { steps.append(step) }
    }
    return steps
  }

  private mutating func nextFrame() -> [UInt8]? {
    guard octets.count >= 2 else { return nil }
    let end = 2 + (Int(octets[0]) << 8 | Int(octets[1]))
    guard octets.count >= end else { return nil }
    defer { octets.removeFirst(end) }
    return Array(octets[2..<end])
  }

  /// Takes the response of the chip.
  ///
  /// - Returns: The bytes for the driver, or nil when the driver does not wait any more.
  package mutating func answer(_ response: [UInt8]) -> [UInt8]? { escape.answer(response).map(Self.framed) }

  /// Ends the wait: the reader's time limit for its chip is over.
  package mutating func endByReader() -> [UInt8] { Self.framed(escape.endByReader()) }

  /// Ends the wait: the driver's time limit for the reader is over.
  package mutating func endByDriver() -> [UInt8] {
    escape.abandon()
    return Self.framed([])
  }

  /// Forgets a partial frame, a running command and a response to be fetched, after the driver closed the connection.
  package mutating func close() {
    escape.abandon()
    octets = []
  }

  /// A frame of the driver. Content is at most 265 bytes behind D5, so its count always fits two bytes.
  private static func framed(_ octets: [UInt8]) -> [UInt8] {
    [UInt8(octets.count >> 8), UInt8(octets.count & 0xFF)] + octets
  }
}
