import ISO7816
import Octets
import ReaderSimulator
import Testing

/// Two chips in one field.
struct ChipPairTests {
  @Test(arguments: [1, 60, 61, 62, 255, 262, 263, 600])
  func `two chips exchange commands and responses of every size`(count: Int) {
    var harness = FieldHarness(.pair)
    #expect(
      harness.activatePair() == [
        0x4B, 0x01, 0x01, 0x00, 0x04, 0x20, 0x04, 0x08, 0xAB, 0xCD, 0xEF, 0x07, 0x75, 0x33, 0x92, 0x03, 0x41, 0x42,
      ])
    #expect(harness.reply(of: 1) == [0x8D, 0x08, 0xE0, 0x50])
    for seed in 0..<3 {
      let command = fieldCommand(count, seed: seed)
      var rest = command[...]
      while rest.count > 262 {
        #expect(harness.run([0x40, 0x41] + rest.prefix(262)) == [0x41, 0x00])
        rest = rest.dropFirst(262)
      }
      harness.post([0x40, 0x01] + rest)
      var received: [UInt8] = []
      while let part = harness.run([0x86], on: 1) {
        received += part.dropFirst(2)
        if part[1] == 0x00 { break }
      }
      #expect(received == command)
      #expect(harness.run([0x8A], on: 1) == [0x8B, 0x01, 0x00])
      var answer = command.reversed()[...]
      while answer.count > 262 {
        #expect(harness.run([0x94] + answer.prefix(262), on: 1) == [0x95, 0x00])
        answer = answer.dropFirst(262)
      }
      #expect(harness.run([0x8E] + answer, on: 1) == [0x8F, 0x00])
      var response: [UInt8] = []
      var reply = harness.reply()
      while let part = reply, part.count >= 2 {
        response += part.dropFirst(2)
        reply = part[1] == 0x40 ? harness.run([0x40, 0x01]) : nil
      }
      #expect(response == command.reversed())
    }
  }

  @Test func `the target's next command reports its release, before it and after it`() {
    for isDeselected in [true, false] {
      for waits in [true, false] {
        var harness = FieldHarness(.pair)
        _ = harness.activatePair()
        _ = harness.reply(of: 1)
        if waits { harness.post([0x86], on: 1) }
        _ = harness.run(isDeselected ? [0x44, 0x01] : [0x32, 0x01, 0x00])
        #expect((waits ? harness.reply(of: 1) : harness.run([0x86], on: 1)) == [0x87, 0x29])
        #expect(harness.run([0x8A], on: 1) == [0x8B, isDeselected ? 0x02 : 0x00, 0x00])
        #expect(harness.run([0x8E, 0x90, 0x00], on: 1) == [0x8F, 0x29])
      }
    }
  }

  @Test func `a chip that switches its own field on is no longer a card`() {
    var harness = FieldHarness(.pair)
    _ = harness.activatePair()
    _ = harness.reply(of: 1)
    #expect(harness.run([0x32, 0x01, 0x01], on: 1) == [0x33])
    #expect(harness.run([0x32, 0x01, 0x00], on: 1) == [0x33])
    #expect(harness.run([0x86], on: 1) == [0x87, 0x25])
    #expect(harness.exchange([0x00, 0xA4])?.status == 0x01)
  }

  @Test func `a chip whose host aborts TgInitAsTarget is not found`() {
    var harness = FieldHarness(.pair)
    _ = harness.run([0x12, 0x34], on: 1)
    harness.post(FieldHarness.initialization, on: 1)
    #expect(harness.list()?.prefix(2) == [0x4B, 0x01])
    #expect(harness.reply(of: 1) == [0x8D, 0x08, 0xE0, 0x50])
    harness.post(FieldHarness.initialization, on: 1)
    harness.settle(limit: .milliseconds(1))
    harness.field.abort(chip: 1, at: harness.now)
    #expect(harness.list() == [0x4B, 0x00])
  }

  @Test(arguments: [FieldFault.drop, .corrupt], 0..<20)
  func `an exchange of two chips recovers from one fault`(fault: FieldFault, frame: Int) {
    var harness = FieldHarness(.pair, faults: .at([frame: fault]))
    _ = harness.activatePair()
    _ = harness.reply(of: 1)
    for seed in 0..<3 {
      let command = fieldCommand(150, seed: seed)
      harness.post([0x40, 0x01] + command)
      #expect(harness.run([0x86], on: 1) == [0x87, 0x00] + command)
      // Longer than the waiting time, so that the target asks for more time.
      harness.pass(.milliseconds(200))
      #expect(harness.run([0x8E] + command.reversed(), on: 1) == [0x8F, 0x00])
      #expect(harness.reply() == [0x41, 0x00] + command.reversed(), "\(fault) at frame \(frame)")
    }
  }

  @Test func `a target without ISO-DEP gets each frame unchanged`() {
    var harness = FieldHarness(.pair)
    var initialization = FieldHarness.initialization
    (initialization[1], initialization[7]) = (0x01, 0x08)
    harness.post(initialization, on: 1)
    #expect(harness.list()?.prefix(6) == [0x4B, 0x01, 0x01, 0x00, 0x04, 0x08])
    harness.post([0x40, 0x01, 0x30, 0x04])
    #expect(harness.reply(of: 1) == [0x8D, 0x00, 0x30, 0x04])
    #expect(harness.run([0x86], on: 1) == [0x87, 0x25])
    #expect(harness.run([0x90, 1, 2, 3], on: 1) == [0x91, 0x00])
    #expect(harness.reply() == [0x41, 0x00, 1, 2, 3])
    harness.post([0x88], on: 1)
    harness.post([0x40, 0x01, 0x30, 0x05])
    #expect(harness.reply(of: 1) == [0x89, 0x00, 0x30, 0x05])
    #expect(harness.reply() == [0x41, 0x01])
  }
}
