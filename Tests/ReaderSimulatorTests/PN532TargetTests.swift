import Octets
import ReaderSimulator
import Testing

/// The second of two chips in the role of a card (UM0701-02, 7.3.14 to 7.3.21).
struct PN532TargetTests {
  /// Two chips, the second one activated by the first.
  private static func pair(faults: FieldFaultPlan = .none, initialization: [UInt8] = FieldHarness.initialization)
    -> FieldHarness
  {
    var harness = FieldHarness(.pair, faults: faults)
    _ = harness.run([0x12, 0x34], on: 1)
    harness.post(initialization, on: 1)
    _ = harness.list()
    _ = harness.reply(of: 1)
    return harness
  }

  /// Two chips, the second one a card without ISO-DEP that has received its first frame.
  private static func bare() -> FieldHarness {
    var initialization = FieldHarness.initialization
    (initialization[1], initialization[7]) = (0x01, 0x08)
    var harness = FieldHarness(.pair)
    harness.post(initialization, on: 1)
    _ = harness.list()
    harness.post([0x40, 0x01, 0x30, 0x04])
    _ = harness.reply(of: 1)
    _ = harness.reply()
    return harness
  }

  @Test func `a command waits until the host asks for it`() {
    var harness = Self.pair()
    harness.post([0x40, 0x01, 0x00, 0xA4])
    harness.pass(.milliseconds(10))
    #expect(harness.run([0x86], on: 1) == [0x87, 0x00, 0x00, 0xA4])
  }

  @Test func `TgSetData succeeds with the last part of the answer, and fails if the reader leaves before it`() {
    // The third frame: after the command and the first part of the response, the acknowledgement that asks for the
    // second.
    var harness = Self.pair(faults: .at([2: .tear(absence: nil)]))
    harness.post([0x40, 0x01, 0x00, 0xA4])
    _ = harness.run([0x86], on: 1)
    #expect(harness.run([0x8E] + fieldCommand(200), on: 1) == [0x8F, 0x29])
  }

  @Test func `an answer has at most 262 bytes, and with its prepared parts at most 65544`() {
    var harness = Self.pair()
    harness.post([0x40, 0x01, 0x00, 0xA4])
    _ = harness.run([0x86], on: 1)
    for _ in 0..<250 { #expect(harness.run([0x94] + fieldCommand(262), on: 1) == [0x95, 0x00]) }
    #expect(harness.run([0x94] + fieldCommand(45), on: 1) == [0x95, 0x26])
    #expect(harness.run([0x94] + fieldCommand(44), on: 1) == [0x95, 0x00])
    var other = Self.pair()
    other.post([0x40, 0x01, 0x00, 0xA4])
    _ = other.run([0x86], on: 1)
    #expect(other.run([0x8E] + fieldCommand(263), on: 1) == [0x8F, 0x25])
    #expect(other.run([0x8E] + fieldCommand(262), on: 1) == [0x8F, 0x00])
  }

  @Test func `frames to a released card are not counted as frames of ISO-DEP`() {
    var harness = Self.pair()
    _ = harness.run([0x32, 0x01, 0x00])
    #expect(harness.run([0x8A], on: 1) == [0x8B, 0x00, 0x00])
    harness.field.faults = .at([0: .drop])
    #expect(harness.list() == [0x4B, 0x00])
    #expect(harness.field.faults.frameCount == 0)
  }

  /// The mode, whether the chip's parameters allow ISO-DEP, and whether a reader finds the target.
  @Test(
    arguments: [(0x00, true, true), (0x01, false, true), (0x04, true, true), (0x04, false, false), (0x02, true, false)]
      as [(UInt8, Bool, Bool)])
  func `the mode and the parameters decide whether a reader finds the target`(
    mode: UInt8, runsProtocol: Bool, isFound: Bool
  ) {
    var harness = FieldHarness(.pair)
    _ = harness.run([0x12, runsProtocol ? 0x34 : 0x14], on: 1)
    var initialization = FieldHarness.initialization
    initialization[1] = mode
    if !runsProtocol { initialization[7] = 0x08 }
    harness.post(initialization, on: 1)
    #expect(harness.list()?.prefix(2) == (isFound ? [0x4B, 0x01] : [0x4B, 0x00]))
  }

  /// The counts of general and historical bytes, and how many more bytes the command has.
  @Test(arguments: [
    (0, 0, 0, true), (47, 48, 0, true), (48, 0, 0, false), (0, 49, 0, false), (0, 2, -1, false), (0, 2, 1, false),
    (5, 0, -2, false),
  ])
  func `TgInitAsTarget needs the announced number of general and historical bytes`(
    general: Int, historical: Int, surplus: Int, isRight: Bool
  ) {
    var command = Array(FieldHarness.initialization.prefix(36))
    command += [UInt8(general)] + fieldCommand(general) + [UInt8(historical)] + fieldCommand(historical)
    command = surplus < 0 ? Array(command.dropLast(-surplus)) : command + fieldCommand(surplus)
    var harness = FieldHarness(.pair)
    #expect(harness.run(command, on: 1) == (isRight ? nil : [0x7F]))
  }

  @Test func `an answer at the last instant of a wait is in time`() {
    var harness = Self.bare()
    harness.post([0x88], on: 1)
    harness.post([0x40, 0x01, 0x30, 0x05])
    harness.field.run([0x90, 0x0A], on: 1, at: harness.now + .microseconds(51_200))
    #expect(harness.reply() == [0x41, 0x00, 0x0A])
  }

  @Test func `a host without ISO-DEP gets checksum errors, and can answer with four bits`() {
    var harness = Self.bare()
    harness.post([0x88], on: 1)
    // The reader appends no checksum, and the target expects one.
    _ = harness.run([0x08, 0x63, 0x02, 0x00, 0x63, 0x03, 0x00])
    harness.post([0x42, 0x30, 0x05])
    #expect(harness.reply(of: 1) == [0x89, 0x02])
    #expect(harness.reply() == [0x43, 0x01])
    // A frame without a checksum that ends within a byte, as Type 2 tags acknowledge.
    _ = harness.run([0x08, 0x63, 0x02, 0x00, 0x63, 0x3D, 0x04], on: 1)
    harness.post([0x88], on: 1)
    harness.post([0x42] + AirFrame(checked: [0xA2, 0x05]).octets)
    #expect(harness.reply(of: 1) == [0x89, 0x00, 0xA2, 0x05])
    #expect(harness.run([0x90, 0x0A], on: 1) == [0x91, 0x00])
    #expect(harness.reply() == [0x43, 0x00, 0x0A])
    #expect(harness.run([0x06, 0x63, 0x3C]) == [0x07, 0x14])
  }
}
