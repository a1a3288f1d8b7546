internal import ISO7816

/// The microcontroller of an ACR122U between the driver and the chip (ACS, ACR122U Application Programming Interface
/// 2.04): pseudo-APDUs in, answers out, each in a frame of the driver's. Pure.
struct EscapePort: Sendable {
  enum Step: Equatable {
    /// Send octets to the driver.
    case send([UInt8])
    /// Run a command: its code and parameters. `answer(_:)` is awaited.
    case command([UInt8])
  }

  /// What the reader looks for by itself; bit 8 switches that on.
  private(set) var operatingParameter: UInt8 = 0xFF
  /// In units of 5 s; 00 and FF are without a limit.
  private(set) var waitParameter: UInt8 = 0x00
  /// Whether the driver waits for the chip.
  private(set) var isWaiting = false
  /// Whether answers wait to be fetched, as an ACR122U does it for whoever talks to it as to a card with T=0.
  private let announces: Bool
  private var announced: [UInt8] = []
  private var octets: [UInt8] = []

  init(announces: Bool = false) {
    self.announces = announces
  }

  /// Octets came from the driver.
  mutating func receive(_ more: [UInt8]) -> [Step] {
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
    case 0x41: waitParameter = frame[3]
    case 0x50: return .send(Self.framed([0x90, operatingParameter]))
    case 0x51:
      operatingParameter = frame[3]
      return .send(Self.framed([0x90, operatingParameter]))
    default: return refusal
    }
    return .send(Self.framed([0x90, 0x00]))
  }

  private var refusal: Step { .send(Self.framed([0x63, 0x00])) }

  /// The chip has answered; what comes when nobody waits is lost.
  mutating func answer(_ response: [UInt8]) -> [UInt8]? {
    guard isWaiting else { return nil }
    isWaiting = false
    // An error frame of the chip.
    if response == [0x7F] { return Self.framed([0x63, 0x7F]) }
    let answer = [0xD5] + response + [0x90, 0x00]
    guard announces, answer.count <= 0xFF else { return Self.framed(answer) }
    announced = answer
    return Self.framed([0x61, UInt8(answer.count)])
  }

  /// The reader has waited long enough for its chip.
  mutating func giveUp() -> [UInt8] {
    isWaiting = false
    return Self.framed([0x63, 0x01])
  }

  /// The driver has waited long enough for the reader.
  mutating func timeOut() -> [UInt8] {
    isWaiting = false
    return Self.framed([])
  }

  /// The driver has hung up.
  mutating func hangUp() {
    isWaiting = false
    octets = []
  }

  /// How long the reader waits for its chip; nil is for ever.
  var patience: Duration? {
    [0x00, 0xFF].contains(waitParameter) ? nil : .seconds(5) * Int(waitParameter)
  }

  private static func framed(_ octets: [UInt8]) -> [UInt8] {
    [UInt8(octets.count >> 8), UInt8(octets.count & 0xFF)] + octets
  }
}
