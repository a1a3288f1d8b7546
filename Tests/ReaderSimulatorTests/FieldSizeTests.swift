import ISO7816
import Octets
import ReaderSimulator
import Testing

/// Commands and frames of every size, from both hosts of a pair on serial lines.
@Suite(.timeLimit(.minutes(20)))
struct FieldSizeTests {
  /// TgInitAsTarget of a card whose host answers RATS and all further frames itself.
  private static let rawTarget: [UInt8] = {
    var command = FieldHarness.initialization
    command[1] = 0x01
    return command
  }()

  private static let version: [UInt8] = [0x03, 0x32, 0x01, 0x06, 0x07]

  @Test(arguments: [1, 262, 263])
  func `a first frame that does not fit into the target's response is lost, and the target continues to listen`(
    count: Int
  ) {
    var harness = FieldHarness(.pair, link: .serial)
    harness.post(Self.rawTarget, on: 1)
    harness.settle(limit: .milliseconds(1))
    _ = harness.run([0x32, 0x01, 0x01])
    // The chip sends no RATS, so the next frame of its host is the first frame for the raw target.
    _ = harness.run([0x12, 0x04])
    #expect(harness.list()?.prefix(2) == [0x4B, 0x01])
    let frame = fieldCommand(count, seed: 7)
    #expect(harness.run([0x42] + frame) == [0x43, 0x01])
    if count <= 262 {
      #expect(harness.reply(of: 1) == [0x8D, 0x00] + frame)
    } else {
      #expect(harness.replies[1].isEmpty)
      #expect(harness.run([0x42, 0x30, 0x04]) == [0x43, 0x01])
      #expect(harness.reply(of: 1) == [0x8D, 0x00, 0x30, 0x04])
    }
    for chip in 0...1 { #expect(harness.run([0x02], on: chip) == Self.version) }
  }

  @Test(
    arguments: [[0x4A, 0x01, 0x00], [0x60, 0x01, 0x01, 0x10]] as [[UInt8]], [1, 61, 62, 63, 246, 247, 253, 254, 255])
  func `a reader with frames of 64 bytes does not find a card with an ATS above 62 bytes`(search: [UInt8], count: Int) {
    var harness = FieldHarness(.pair, link: .serial)
    harness.post(Self.rawTarget, on: 1)
    _ = harness.run([0x32, 0x05, 0x00, 0x01, 0x00])
    harness.post(search)
    #expect(harness.reply(of: 1) == [0x8D, 0x00, 0xE0, 0x50])
    // T0 announces no interface bytes, so all others are historical bytes.
    let answer = [UInt8(count), 0x00].prefix(count) + [UInt8](repeating: 0x41, count: max(count - 2, 0))
    #expect(harness.run([0x90] + answer, on: 1) == [0x91, 0x00])
    let reply = harness.reply()
    if count <= 62 {
      #expect(reply?.prefix(2) == [search[0] + 1, 0x01])
      #expect(reply?.suffix(count) == answer[...])
    } else {
      #expect(reply == [search[0] + 1, 0x00])
    }
    for chip in 0...1 { #expect(harness.run([0x02], on: chip) == Self.version) }
  }

  private static let stateCount = 5

  /// A pair in one of the states from which random commands start.
  private static func chips(in state: Int) -> FieldHarness {
    var harness = FieldHarness(.pair, link: .serial, timing: FieldTiming(waitingTimeDivisor: 16))
    switch state {
    case 0: _ = harness.run([0x32, 0x05, 0x00, 0x01, 0x00])
    case 1:
      #expect(harness.activatePair()?.prefix(2) == [0x4B, 0x01])
      _ = harness.reply(of: 1)
    case 2:
      // A raw target that is selected and waits for its first frame.
      harness.post(rawTarget, on: 1)
      _ = harness.run([0x12, 0x04])
      #expect(harness.list()?.prefix(2) == [0x4B, 0x01])
    case 3:
      // A raw target that is activated and waits for the next frame.
      harness.post(rawTarget, on: 1)
      _ = harness.run([0x12, 0x04])
      _ = harness.list()
      _ = harness.run([0x42, 0x30, 0x04])
      _ = harness.reply(of: 1)
      harness.post([0x88], on: 1)
    default:
      // A raw target that has received RATS and must answer it.
      harness.post(rawTarget, on: 1)
      _ = harness.run([0x32, 0x05, 0x00, 0x01, 0x00])
      harness.post([0x4A, 0x01, 0x00])
      _ = harness.reply(of: 1)
    }
    harness.settle(limit: .zero)
    return harness
  }

  @Test(arguments: 0...1)
  func `a chip answers after every command with 0 to 265 random bytes`(chip: Int) {
    var random = SplitMix64(seed: UInt64(17 + chip))
    var harness = Self.chips(in: 0)
    var count = 0
    for command in PN532Command.allCases {
      for size in 0...265 {
        // A command changes the state, so a new state is set up after four commands.
        if count % 4 == 0 { harness = Self.chips(in: Int.random(in: 0..<Self.stateCount, using: &random)) }
        count += 1
        var parameters = (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        // Half of the commands start with a byte that most commands accept.
        if size > 0, Bool.random(using: &random) { parameters[0] = 0x01 }
        harness.post([command.rawValue] + parameters, on: chip)
        harness.settle(limit: .milliseconds(2))
      }
    }
    for chip in 0...1 {
      harness.settle(limit: .seconds(1))
      while !harness.replies[chip].isEmpty { _ = harness.reply(of: chip) }
      #expect(harness.run([0x02], on: chip) == Self.version)
    }
  }
}
