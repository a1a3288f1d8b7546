import ISO7816
import Octets
import ReaderSimulator
import Testing

/// Commands whose effect lasts (UM0701-02, 7).
struct PN532CommandTests {
  private static let find = ("4A0100", "4B010100042004085AC31E0578807002")
  private static let exchange = ("400100A4", "4100A4009000")

  /// The commands of a host to a chip with a card, and the responses.
  static let scripts: [(name: String, turns: [(String, String)])] = [
    ("another card's number", [find, ("400200A4", "4127"), ("400000A4", "4127"), exchange]),
    (
      "a card that was deselected",
      [find, ("4402", "4527"), ("4401", "4500"), ("400100A4", "4127"), ("5401", "5500"), exchange]
    ),
    ("a card that was released", [find, ("5202", "5327"), ("5201", "5300"), ("5401", "5527")]),
    ("a card without power", [find, ("320100", "33"), ("400100A4", "4127"), ("5401", "5500"), exchange]),
    (
      "a card that is not asked for its ATS, and halted",
      [("1200", "13"), ("4A0100", "4B010100042004085AC31E"), ("4401", "4500"), ("4A0100", "4B00")]
    ),
    (
      "the general status",
      [
        ("04", "0500000080"), find, ("04", "050000010100000080"), ("400200A4", "4127"), ("04", "052700010100000080"),
      ]
    ),
    (
      "seven bits by hand, and parity bits by hand",
      [
        ("320101", "33"), ("08630200630300633D07", "09"), ("4226", "43000400"), ("4226", "4301"),
        ("08630D10", "09"), ("4226", "4301"), ("08630D00", "09"), ("4226", "43000400"),
      ]
    ),
  ]

  @Test(arguments: scripts)
  func `a command depends on the commands before it`(name: String, turns: [(String, String)]) throws {
    var harness = FieldHarness()
    _ = harness.run([0x32, 0x05, 0x00, 0x01, 0x00])
    for (command, expected) in turns {
      let reply = harness.run(try [UInt8](hex: command))
      #expect(reply?.hex == expected, "\(name), at \(command)")
    }
  }

  @Test func `two cards are found where the host asks for two`() {
    var harness = FieldHarness()
    _ = harness.run([0x32, 0x05, 0x00, 0x01, 0x00])
    let first: [UInt8] = [0x01, 0x00, 0x04, 0x20, 0x04, 0x08, 0x5A, 0xC3, 0x1E, 0x05, 0x78, 0x80, 0x70, 0x02]
    #expect(harness.run([0x4A, 0x02, 0x00]) == [0x4B, 0x01] + first)
    harness.field.setSecondCard(true)
    let second: [UInt8] = [0x02] + first[1..<8] + [0xE1] + first[9...]
    #expect(harness.run([0x4A, 0x02, 0x00]) == [0x4B, 0x02] + first + second)
    #expect(harness.run([0x4A, 0x01, 0x00]) == [0x4B, 0x01] + first)
  }

  @Test func `an identifier is found with its cascade tags too`() throws {
    var harness = FieldHarness(.card(ProximityIdentity(identifier: [0x04, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06])))
    _ = harness.run([0x32, 0x05, 0x00, 0x01, 0x00])
    let reply = harness.run(try [UInt8](hex: "4A01008804010203040506"))
    #expect(reply?.prefix(2) == [0x4B, 0x01])
  }

  @Test func `the rest of a response is lost with the next command`() {
    var harness = FieldHarness(card: { ($0.count > 1 ? fieldCommand(300) : $0 + [0x90, 0x00], .zero) })
    _ = harness.list()
    #expect(harness.run([0x40, 0x01, 0xAA, 0xBB])?.prefix(2) == [0x41, 0x40])
    // The next command is sent as a part with the bit for more information, and an empty last part.
    #expect(harness.run([0x40, 0x41, 0xCC]) == [0x41, 0x00])
    #expect(harness.run([0x40, 0x01]) == [0x41, 0x00, 0xCC, 0x90, 0x00])
  }

  @Test func `a chip that powers down switches its field off`() {
    var harness = FieldHarness()
    _ = harness.list()
    #expect(harness.run([0x16, 0xF0]) == [0x17, 0x00])
    harness.settle()
    let events = harness.outputs.compactMap { if case .field(let event, _) = $0 { event } else { nil } }
    #expect(events == [.powered, .lost])
  }

  // MARK: Limits

  @Test func `a command has at most 264 bytes, and a chained APDU at most 65544`() {
    var harness = FieldHarness(card: { _ in ([0x90, 0x00], .zero) })
    _ = harness.list()
    #expect(harness.run([0x40, 0x01] + fieldCommand(262)) == [0x41, 0x00, 0x90, 0x00])
    #expect(harness.run([0x40, 0x01] + fieldCommand(263)) == [0x7F])
    #expect(harness.exchange(fieldCommand(65_544))?.status == 0x00)
    #expect(harness.exchange(fieldCommand(65_545))?.status == 0x26)
    #expect(harness.exchange([0x00])?.data == [0x90, 0x00])
  }

  @Test(arguments: [(65_544, 0x00), (65_545, 0x0B)] as [(Int, UInt8)])
  func `a response has at most 65544 bytes`(count: Int, status: UInt8) {
    var harness = FieldHarness(card: { _ in (fieldCommand(count), .zero) })
    _ = harness.list()
    let result = harness.exchange([0x00])
    #expect(result?.status == status)
    #expect(result?.data.count == (status == 0 ? count : 0))
  }

  // MARK: Time

  @Test(
    arguments: [(0x01, .microseconds(100)), (0x02, .microseconds(200)), (0x0A, .microseconds(51_200))]
      as [(UInt8, Duration)])
  func `a host that runs ISO-DEP itself sets the timeout`(octet: UInt8, time: Duration) {
    var harness = FieldHarness(.chip)
    _ = harness.run([0x32, 0x02, 0x00, 0x0B, octet])
    _ = harness.run([0x32, 0x01, 0x01])
    let start = harness.now
    #expect(harness.run([0x42, 0x30]) == [0x43, 0x01])
    #expect(harness.now - start == time)
    _ = harness.run([0x32, 0x02, 0x00, 0x0B, 0x00])
    #expect(harness.run([0x42, 0x30]) == nil)
  }

  @Test(arguments: [1, 2])
  func `polling pauses between its attempts and ends when the host aborts it`(divisor: Int) {
    var harness = FieldHarness(.chip, timing: FieldTiming(waitingTimeDivisor: divisor))
    let start = harness.now
    // Two attempts of 5 ms, and twice 150 ms between them.
    #expect(harness.run([0x60, 0x02, 0x02, 0x10]) == [0x61, 0x00])
    #expect(harness.now - start == .milliseconds(310) / divisor)
    // During the first attempt, and in the pause after it.
    for time in [Duration.milliseconds(2), .milliseconds(20)] {
      harness.post([0x60, 0x02, 0x02, 0x10])
      harness.settle(limit: time)
      harness.field.abort(chip: 0, at: harness.now)
      harness.settle(limit: .zero)
      #expect(harness.field.nextDeadline == nil)
    }
  }

  @Test func `a response after its host aborted the command is ignored`() {
    var harness = FieldHarness(card: { ($0 + [0x90, 0x00], .milliseconds(10)) })
    _ = harness.list()
    harness.post([0x40, 0x01, 0xAA])
    harness.settle(limit: .milliseconds(5))
    harness.field.abort(chip: 0, at: harness.now)
    harness.settle()
    #expect(harness.replies[0].isEmpty)
    #expect(harness.field.nextDeadline == nil)
  }

  @Test func `a card that loses its power while it computes does not ask for more time`() {
    var harness = FieldHarness(card: { _ in nil })
    _ = harness.list()
    harness.post([0x40, 0x01, 0xAA])
    harness.settle(limit: .milliseconds(5))
    #expect(harness.run([0x32, 0x01, 0x00]) == [0x33])
    harness.settle(limit: .zero)
    #expect(harness.field.nextDeadline == nil)
  }
}
