import ISO7816
import Octets
import ReaderSimulator

/// A field without hosts, threads and real time: the test sends commands and collects the outputs, at instants that it
/// chooses.
struct FieldHarness {
  /// The card's response to a command and the time that it takes; nil for no response.
  typealias Card = ([UInt8]) -> (response: [UInt8], delay: Duration)?

  var field: SimulatedField
  private(set) var now = Instant(nanoseconds: 0)
  /// All outputs, in order.
  private(set) var outputs: [SimulatedField.Output] = []
  /// The responses of each chip that the test has not read yet.
  private(set) var replies: [[[UInt8]]] = [[], []]
  private let link: SimulatedField.HostLink
  private let card: Card

  init(
    _ layout: SimulatedField.Layout = .card(ProximityIdentity()), link: SimulatedField.HostLink = .direct,
    timing: FieldTiming = FieldTiming(), faults: FieldFaultPlan = .none,
    card: @escaping Card = { (Array($0.reversed()) + [0x90, 0x00], .zero) }
  ) {
    field = SimulatedField(layout, link: link, timing: timing, faults: faults)
    self.link = link
    self.card = card
  }

  /// Lets time pass until a condition holds, or until nothing happens for ten seconds.
  mutating func settle(until isDone: (FieldHarness) -> Bool = { _ in false }, limit: Duration = .seconds(10)) {
    let end = now + limit
    while !isDone(self), let due = field.nextDeadline, due <= end {
      now = max(now, due)
      guard let output = field.next(until: now) else { continue }
      outputs.append(output)
      switch output {
      case .octets(let octets, let chip): replies[chip] += link == .direct ? [octets] : Self.contents(of: octets)
      case .command(let command, let instant):
        if let (response, delay) = card(command) { field.answer(response, at: instant + delay) }
      case .field: break
      }
    }
  }

  /// Sends a command and waits for its response.
  ///
  /// - Returns: nil when none came within ten seconds.
  mutating func run(_ command: [UInt8], on chip: Int = 0) -> [UInt8]? {
    post(command, on: chip)
    return reply(of: chip)
  }

  /// Sends a command, of any size.
  mutating func post(_ command: [UInt8], on chip: Int = 0) {
    switch link {
    case .direct: field.run(command, on: chip, at: now)
    case .serial: field.send([0x55, 0x55] + Self.frame(command), to: chip, at: now)
    case .packets: field.send(Self.frame(command), to: chip, at: now)
    }
  }

  /// An extended frame of the host, which may be longer than a chip accepts.
  static func frame(_ content: [UInt8]) -> [UInt8] {
    let body = [HSUFrame.hostIdentifier] + content
    let (high, low) = (UInt8(body.count >> 8), UInt8(body.count & 0xFF))
    return [0x00, 0x00, 0xFF, 0xFF, 0xFF, high, low, 0 &- (high &+ low)] + body + [0 &- body.reduce(0, &+), 0x00]
  }

  /// The content of a chip's frame; 7F for an error frame, nothing for an acknowledgement.
  private static func contents(of octets: [UInt8]) -> [[UInt8]] {
    if octets == HSUFrame.acknowledge.octets() || octets == HSUFrame.notAcknowledge.octets() { return [] }
    if octets.suffix(8) == HSUFrame.error.octets()[...] { return [[0x7F]] }
    let isExtended = octets[3] == 0xFF && octets[4] == 0xFF
    return [Array(octets.dropFirst(isExtended ? 9 : 6).dropLast(2))]
  }

  /// Waits for a response.
  mutating func reply(of chip: Int = 0) -> [UInt8]? {
    settle(until: { !$0.replies[chip].isEmpty })
    return replies[chip].isEmpty ? nil : replies[chip].removeFirst()
  }

  /// Lets a time pass, whatever happens in it.
  mutating func pass(_ time: Duration) {
    settle(limit: time)
    now = now + time
    _ = field.next(until: now)
  }

  /// Searches for the card, in one attempt.
  mutating func list() -> [UInt8]? {
    _ = run([0x32, 0x05, 0x00, 0x01, 0x00])
    return run([0x4A, 0x01, 0x00])
  }

  /// Sends an APDU with InDataExchange, in parts if it is long, and reads all parts of the response.
  ///
  /// - Returns: The status without its bit for more information, and the data.
  mutating func exchange(_ command: [UInt8], on chip: Int = 0) -> (status: UInt8, data: [UInt8])? {
    var rest = command[...]
    while rest.count > 262 {
      guard let reply = run([0x40, 0x41] + rest.prefix(262), on: chip), reply == [0x41, 0x00] else { return nil }
      rest = rest.dropFirst(262)
    }
    var reply = run([0x40, 0x01] + rest, on: chip)
    var data: [UInt8] = []
    while let part = reply, part.count >= 2, part[0] == 0x41 {
      data += part.dropFirst(2)
      guard part[1] & 0x40 != 0 else { return (part[1], data) }
      reply = run([0x40, 0x01], on: chip)
    }
    return nil
  }

  /// TgInitAsTarget as libnfc sends it for a card with historical bytes.
  static let initialization: [UInt8] =
    [0x8C, 0x05, 0x04, 0x00, 0xAB, 0xCD, 0xEF, 0x20] + [UInt8](repeating: 0, count: 28) + [0x00, 0x02, 0x41, 0x42]

  /// Makes the second chip a card, and makes the first one find it.
  mutating func activatePair() -> [UInt8]? {
    _ = run([0x12, 0x34], on: 1)
    post(Self.initialization, on: 1)
    return list()
  }
}

/// Bytes that count up from a seed, so that commands differ.
func fieldCommand(_ count: Int, seed: Int = 0) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 + seed) }
}
