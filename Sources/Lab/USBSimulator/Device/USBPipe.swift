/// An endpoint that transfers to the host, as the host controller sees it (USB 2.0, 5.8.3). Pure.
struct USBPipe: Equatable, Sendable {
  /// wMaxPacketSize.
  let packetSize: Int
  /// Whether the device answers STALL to every token.
  private(set) var isHalted = false
  private var packets: [[UInt8]] = []
  private var waiting: [(transfer: HostTransfer.Identifier, room: Int)] = []
  /// The bytes that the first transfer that waits has received.
  private var received: [UInt8] = []

  init(packetSize: UInt16) { self.packetSize = max(Int(packetSize), 1) }

  static func == (left: Self, right: Self) -> Bool {
    left.packets == right.packets && left.waiting.map(\.transfer) == right.waiting.map(\.transfer)
      && left.received == right.received && left.isHalted == right.isHalted
  }

  /// The device sends bytes, in packets.
  ///
  /// - Parameter endsShort: Whether a zero-length packet follows whole packets.
  mutating func send(_ octets: [UInt8], endsShort: Bool) {
    var rest = octets[...]
    while rest.count >= packetSize {
      packets.append(Array(rest.prefix(packetSize)))
      rest = rest.dropFirst(packetSize)
    }
    if !rest.isEmpty || endsShort { packets.append(Array(rest)) }
  }

  /// The device sends one packet of any size: more than the host has room for is babble.
  mutating func sendPacket(_ octets: [UInt8]) { packets.append(octets) }

  /// The device answers STALL from now on; what it has sent and the host has not taken is lost.
  mutating func halt() {
    isHalted = true
    packets = []
  }

  /// The host clears the halt.
  mutating func clearHalt() { isHalted = false }

  /// Discards the packets that the host has not taken.
  mutating func discardPackets() { packets = [] }

  /// The host waits for bytes.
  mutating func receive(_ transfer: HostTransfer.Identifier, room: Int) { waiting.append((transfer, room)) }

  /// Ends the wait of a transfer.
  ///
  /// - Returns: Nil when it does not wait.
  mutating func cancel(_ transfer: HostTransfer.Identifier, _ status: HostTransfer.Status) -> HostTransfer.Completion? {
    guard let index = waiting.firstIndex(where: { $0.transfer == transfer }) else { return nil }
    waiting.remove(at: index)
    let octets = index == 0 ? received : []
    if index == 0 { received = [] }
    return .init(transfer: transfer, status: status, octets: octets, count: octets.count)
  }

  /// Ends the wait of all transfers.
  mutating func cancelAll(_ status: HostTransfer.Status) -> [HostTransfer.Completion] {
    waiting.compactMap { cancel($0.transfer, status) }
  }

  /// The next transfer that is complete, or nil when the host waits for the device.
  mutating func next() -> HostTransfer.Completion? {
    guard let first = waiting.first else { return nil }
    if isHalted { return cancel(first.transfer, .stalled) }
    while !packets.isEmpty {
      let packet = packets.removeFirst()
      let room = first.room - received.count
      received += packet.prefix(room)
      if packet.count > room { return cancel(first.transfer, .overflowed) }
      if packet.count < packetSize || received.count == first.room { return cancel(first.transfer, .done) }
    }
    return nil
  }
}
