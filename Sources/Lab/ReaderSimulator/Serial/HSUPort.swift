/// The chip's side of the host link: acknowledges commands, repeats responses on request, sleeps and wakes up.
package struct HSUPort: Sendable {
  /// What the chip does after bytes of the host, in order.
  package enum Step: Equatable, Sendable {
    /// Sends bytes to the host.
    case send([UInt8])
    /// Runs a command; a command that still runs is aborted.
    case command([UInt8])
    /// Aborts the command that runs.
    case abort
  }

  /// The chip wakes from power-down at the fifth rising edge on its input (PN532 data sheet, 8.3.3).
  static let wakingEdges = 5

  private var decoder = HSUDecoder()
  private var lastResponse: [UInt8] = []
  /// The rising edges since the chip fell asleep, or nil while it is awake.
  private var edges: Int?

  /// Creates the port of a chip that was just powered.
  ///
  /// - Parameter isAwake: Whether the host need not wake it first, as on USB.
  package init(isAwake: Bool = false) { edges = isAwake ? nil : 0 }

  /// Whether the host must wake the chip first.
  package var isAsleep: Bool { edges != nil }

  /// Takes bytes from the host.
  package mutating func receive(_ octets: [UInt8]) -> [Step] {
    var steps: [Step] = []
    decoder.append(octetsAfterWaking(from: octets))
    while let finding = decoder.next() { steps += follow(finding) }
    return steps
  }

  private func follow(_ finding: HSUDecoder.Finding) -> [Step] {
    switch finding {
    case .frame(.information(let content)): [.send(HSUFrame.acknowledge.octets()), .command(content)]
    case .frame(.acknowledge): [.abort]
    case .frame(.notAcknowledge): [.send(lastResponse)]
    case .frame(.error): []
    case .corrupt: [.send(HSUFrame.notAcknowledge.octets())]
    case .unknown: [.send(HSUFrame.acknowledge.octets() + HSUFrame.error.octets())]
    }
  }

  /// The bytes of a response. The port stores them for a host that asks for them again.
  package mutating func send(_ frame: HSUFrame) -> [UInt8] {
    lastResponse = frame.octets()
    return lastResponse
  }

  /// Discards a partial frame that a host left when it closed the port.
  package mutating func discardPartialFrame() { decoder = HSUDecoder() }

  /// The chip goes into power-down.
  package mutating func sleep() {
    edges = 0
    decoder = HSUDecoder()
  }

  /// The bytes after those that wake a sleeping chip; it ignores all bytes until then.
  private mutating func octetsAfterWaking(from octets: [UInt8]) -> ArraySlice<UInt8> {
    guard var seen = edges else { return octets[...] }
    for (index, octet) in octets.enumerated() {
      seen += Self.risingEdges(of: octet)
      guard seen >= Self.wakingEdges else { continue }
      edges = nil
      return octets[(index + 1)...]
    }
    edges = seen
    return []
  }

  /// The rising edges of one byte: start bit 0, eight data bits from the lowest on, stop bit 1.
  private static func risingEdges(of octet: UInt8) -> Int {
    let line = UInt16(octet) << 1 | 0x200
    return (line & ~(line << 1) & 0x3FE).nonzeroBitCount
  }
}
