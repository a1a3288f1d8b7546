import Testing

@testable import USBSimulator

/// The host controller's rules for transfers to the host (USB 2.0, 5.8.3).
@Suite struct USBPipeTests {
  private static let transfer = HostTransfer.Identifier(connection: 1, address: 0x1000)

  /// What the device sends in packets of 8 bytes, whether a zero-length packet ends it, the room of the host, and the
  /// counts that its transfers get.
  static let rows: [(count: Int, endsShort: Bool, room: Int, counts: [Int])] = [
    (3, true, 16, [3]), (8, true, 16, [8]), (8, false, 16, []), (16, true, 16, [16, 0]), (20, true, 16, [16, 4]),
    (20, true, 32, [20]), (0, true, 16, [0]),
  ]

  @Test(arguments: rows)
  func `a transfer ends at a short packet or when it is full`(
    _ row: (count: Int, endsShort: Bool, room: Int, counts: [Int])
  ) {
    var pipe = USBPipe(packetSize: 8)
    pipe.send([UInt8](repeating: 1, count: row.count), endsShort: row.endsShort)
    for _ in 0..<row.counts.count + 1 { pipe.receive(Self.transfer, room: row.room) }
    var counts: [Int] = []
    while let completion = pipe.next() { counts.append(completion.count) }
    #expect(counts == row.counts)
  }

  @Test func `a packet that is longer than the room overflows`() {
    var pipe = USBPipe(packetSize: 8)
    pipe.sendPacket([UInt8](repeating: 1, count: 9))
    pipe.receive(Self.transfer, room: 8)
    #expect(pipe.next()?.status == .overflowed)
  }

  @Test func `a halted endpoint stalls each transfer until the host clears it`() {
    var pipe = USBPipe(packetSize: 8)
    pipe.halt()
    for _ in 0..<2 {
      pipe.receive(Self.transfer, room: 8)
      #expect(pipe.next()?.status == .stalled)
    }
    pipe.clearHalt()
    pipe.send([1], endsShort: true)
    pipe.receive(Self.transfer, room: 8)
    #expect(pipe.next()?.octets == [1])
  }

  @Test func `a transfer that the program discards ends with what it has`() {
    var pipe = USBPipe(packetSize: 8)
    pipe.receive(Self.transfer, room: 16)
    pipe.send([UInt8](repeating: 1, count: 8), endsShort: false)
    #expect(pipe.next() == nil)
    #expect(pipe.cancel(Self.transfer, .cancelled)?.count == 8)
    #expect(pipe.cancel(Self.transfer, .cancelled) == nil)
  }
}
