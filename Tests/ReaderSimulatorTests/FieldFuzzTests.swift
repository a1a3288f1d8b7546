import ISO7816
import Octets
import ReaderSimulator
import Testing

/// Random commands and bytes.
struct FieldFuzzTests {
  @Test func `a chip answers after random commands in random states`() {
    var random = SplitMix64(seed: 3)
    for layout in [SimulatedField.Layout.chip, .card(ProximityIdentity()), .pair] {
      var harness = FieldHarness(layout, faults: .random(seed: 4, [(.drop, 50), (.corrupt, 50)]))
      let codes = PN532Command.allCases.map(\.rawValue)
      for _ in 0..<5_000 {
        let chip = layout == .pair ? Int.random(in: 0...1, using: &random) : 0
        var command = [Int.random(in: 0..<20, using: &random) == 0 ? 0xFF : codes.randomElement(using: &random)!]
        let count = [0, 1, 2, 3, 4, 36, 40, 262].randomElement(using: &random)!
        command += (0..<count).map { _ in
          [0x00, 0x01, 0x02, 0x20, 0x41, UInt8.random(in: .min ... .max, using: &random)].randomElement(using: &random)!
        }
        if Int.random(in: 0..<10, using: &random) == 0 { command = FieldHarness.initialization }
        harness.post(command, on: chip)
        harness.settle(limit: .milliseconds(Int.random(in: 0...20, using: &random)))
      }
      harness.settle(limit: .seconds(1))
      #expect(harness.run([0x14, 0x01]) != nil)
    }
  }

  @Test func `a frame after random bytes on the serial line is answered`() {
    var random = SplitMix64(seed: 5)
    var field = SimulatedField(.card(ProximityIdentity()))
    var now = Instant(nanoseconds: 0)
    let seeds: [[UInt8]] = [
      [0x02], [0x4A, 0x01, 0x00], [0x32, 0x01, 0x01], [0x40, 0x01, 0x00, 0xA4], [0x16, 0xF0], [0x06, 0x63, 0x02],
    ]
    for _ in 0..<2_000 {
      var octets = HSUFrame.information(seeds.randomElement(using: &random)!).octets(
        identifier: HSUFrame.hostIdentifier)
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        octets[Int.random(in: octets.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
      }
      field.send([0x55] + octets, to: 0, at: now)
      now = now + .milliseconds(50)
      while let output = field.next(until: now) {
        if case .command(let command, let instant) = output { field.answer(command, at: instant) }
      }
    }
    field.send([0x55] + HSUFrame.acknowledge.octets() + [UInt8](repeating: 0, count: 300), to: 0, at: now)
    while field.next(until: now + .seconds(1)) != nil {}
    field.send(HSUFrame.information([0x02]).octets(identifier: HSUFrame.hostIdentifier), to: 0, at: now)
    var came: [UInt8] = []
    while case .octets(let octets, _)? = field.next(until: now + .seconds(2)) { came += octets }
    let response = HSUFrame.information([0x03, 0x32, 0x01, 0x06, 0x07])
    #expect(came == HSUFrame.acknowledge.octets() + response.octets())
  }
}
