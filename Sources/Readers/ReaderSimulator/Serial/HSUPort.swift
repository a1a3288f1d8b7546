/// The chip's end of the host link: acknowledges commands, repeats responses on request, sleeps and wakes up.
package struct HSUPort: Sendable {
  /// What follows from a host's octets, in order.
  package enum Step: Equatable, Sendable {
    /// Send octets back to the host.
    case send([UInt8])
    /// Run a command; one that still runs is given up.
    case command([UInt8])
    /// Give up the command that runs.
    case abort
  }

  /// The chip comes out of power-down with the fifth rising edge on its input (PN532 data sheet, 8.3.3).
  static let wakingEdges = 5

  private var decoder = HSUDecoder()
  private var lastResponse: [UInt8] = []
  /// Rising edges seen since the chip fell asleep, or nil while it is awake.
  private var edges: Int? = 0

  /// The port of a chip that was just powered: asleep.
  package init() {}

  /// Whether the chip must be woken up first.
  package var isAsleep: Bool { edges != nil }

  /// Takes octets from the host.
  package mutating func receive(_ octets: [UInt8]) -> [Step] {
    var steps: [Step] = []
    decoder.append(awakened(by: octets))
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
    case .unintelligible: [.send(HSUFrame.acknowledge.octets() + HSUFrame.error.octets())]
    }
  }

  /// The octets of a response, which is kept for a host that did not get it.
  package mutating func send(_ frame: HSUFrame) -> [UInt8] {
    lastResponse = frame.octets()
    return lastResponse
  }

  /// The chip goes into power-down.
  package mutating func sleep() {
    edges = 0
    decoder = HSUDecoder()
  }

  /// What a sleeping chip hears: nothing until it is awake.
  private mutating func awakened(by octets: [UInt8]) -> ArraySlice<UInt8> {
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

  /// Start bit 0, eight data bits beginning with the lowest, stop bit 1.
  private static func risingEdges(of octet: UInt8) -> Int {
    let line = UInt16(octet) << 1 | 0x200
    return (line & ~(line << 1) & 0x3FE).nonzeroBitCount
  }
}
