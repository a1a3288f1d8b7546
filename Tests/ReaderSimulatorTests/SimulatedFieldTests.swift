import ISO7816
import Octets
import ReaderSimulator
import Testing

/// Chips, cards and air, on a time line of the test's own.
struct SimulatedFieldTests {
  static func command(_ count: Int, seed: Int = 0) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 + seed) }
  }

  /// ATS of cards with frames of 16, 64 and 256 octets.
  static let answers: [[UInt8]] = [
    [0x05, 0x70, 0x80, 0x70, 0x02], [0x05, 0x75, 0x80, 0x70, 0x02], [0x05, 0x78, 0x80, 0x70, 0x02], [0x01],
  ]

  @Test(arguments: answers, [1, 4, 12, 13, 14, 26, 60, 61, 62, 253, 254, 261, 262, 263, 600, 5000])
  func `commands and responses of every size cross the field`(answer: [UInt8], count: Int) {
    var bench = FieldBench(.card(ProximityIdentity(answerToSelect: answer)))
    let listed = bench.list()
    #expect(listed == [0x4B, 0x01, 0x01, 0x00, 0x04, 0x20, 0x04, 0x08, 0x5A, 0xC3, 0x1E] + answer)
    for seed in 0..<3 {
      let command = Self.command(count, seed: seed)
      let result = bench.exchange(command)
      #expect(result?.status == 0)
      #expect(result?.data == command.reversed() + [0x90, 0x00])
    }
  }

  @Test(arguments: [4, 7, 10])
  func `identifiers of all sizes are collected, and one of them is looked for`(count: Int) {
    let identifier: [UInt8] = [0x04] + Self.command(count - 1)
    var bench = FieldBench(.card(ProximityIdentity(identifier: identifier)))
    let found = bench.list()
    #expect(found.map { Array($0[6..<7 + count]) } == [UInt8(count)] + identifier)
    _ = bench.run([0x52, 0x00])
    _ = bench.run([0x32, 0x01, 0x00])
    #expect(bench.run([0x4A, 0x01, 0x00] + identifier)?.prefix(2) == [0x4B, 0x01])
    _ = bench.run([0x32, 0x01, 0x00])
    #expect(bench.run([0x4A, 0x01, 0x00, 1, 2, 3, 4]) == [0x4B, 0x00])
  }

  @Test func `the card hears of its power, its deselection and its loss`() {
    var bench = FieldBench()
    _ = bench.list()
    _ = bench.exchange([0x00, 0xA4])
    _ = bench.run([0x52, 0x00])
    _ = bench.run([0x32, 0x01, 0x00])
    let events = bench.outputs.compactMap { if case .field(let event, _) = $0 { event } else { nil } }
    #expect(events == [.powered, .deselected, .lost])
  }

  @Test func `a card that is selected still is found again, after a moment without power`() {
    var bench = FieldBench()
    _ = bench.list()
    _ = bench.exchange([0x00, 0xA4])
    #expect(bench.list()?.prefix(2) == [0x4B, 0x01])
    let events = bench.outputs.compactMap { if case .field(let event, _) = $0 { event } else { nil } }
    #expect(events == [.powered, .lost, .powered])
    #expect(bench.exchange([0x01, 0x02])?.data == [0x02, 0x01, 0x90, 0x00])
  }

  @Test(arguments: [0, 1, 19, 20, 38, 39, 40, 100, 1000, 7000])
  func `a card that takes its time asks for more, as often as it must`(milliseconds: Int) {
    var bench = FieldBench(card: { ($0 + [0x90, 0x00], .milliseconds(milliseconds)) })
    _ = bench.list()
    let start = bench.now
    #expect(bench.exchange([0x00, 0xA4])?.data == [0x00, 0xA4, 0x90, 0x00])
    #expect(bench.now - start == .milliseconds(milliseconds))
    #expect(bench.exchange([0x00, 0xB2])?.data == [0x00, 0xB2, 0x90, 0x00])
  }

  @Test func `a card that never answers keeps asking, and a new command of the host gets through`() {
    var bench = FieldBench(card: { _ in nil })
    _ = bench.list()
    #expect(bench.run([0x40, 0x01, 0x00]) == nil)
    #expect(bench.run([0x52, 0x00]) == [0x53, 0x00])
  }

  @Test func `time is that of 106 kbit/s when it is asked for`() {
    func elapsed(_ count: Int, _ pacing: FieldTiming.Pacing) -> Duration {
      var bench = FieldBench(timing: FieldTiming(pacing: pacing), card: { (Self.command($0.count), .zero) })
      _ = bench.list()
      let start = bench.now
      _ = bench.exchange(Self.command(count))
      return bench.now - start
    }
    #expect(elapsed(10, .none) == .zero)
    // Two blocks of 13 octets, 9 bits each, start and end of frame; 90 us before each.
    #expect(elapsed(10, .realTime) == (.nanoseconds(9_439) * (13 * 9 + 2) + .microseconds(90)) * 2)
    #expect(elapsed(259, .realTime) > .milliseconds(45))
  }

  // MARK: Faults

  @Test(arguments: [FieldFault.drop, .corrupt, .delay(.milliseconds(1)), .delay(.milliseconds(60))], 0..<24)
  func `one fault at any frame of a chained exchange is recovered from`(fault: FieldFault, frame: Int) {
    let identity = ProximityIdentity(answerToSelect: [0x05, 0x75, 0x80, 0x70, 0x02])
    var bench = FieldBench(.card(identity), faults: .at([frame: fault]))
    _ = bench.list()
    for seed in 0..<3 {
      let command = Self.command(200, seed: seed)
      let result = bench.exchange(command)
      #expect(result?.status == 0)
      #expect(result?.data == command.reversed() + [0x90, 0x00], "\(fault) at frame \(frame)")
    }
    #expect(bench.field.faults.faultCount == 1)
  }

  @Test(arguments: 0..<8)
  func `one fault while a slow card asks for more time is recovered from`(frame: Int) {
    for fault in [FieldFault.drop, .corrupt] {
      var bench = FieldBench(faults: .at([frame: fault]), card: { ($0 + [0x90, 0x00], .milliseconds(70)) })
      _ = bench.list()
      #expect(bench.exchange([0x00, 0xA4])?.data == [0x00, 0xA4, 0x90, 0x00], "\(fault) at frame \(frame)")
    }
  }

  @Test func `a card that is torn out ends the exchange after four waiting times, and can come back`() {
    var bench = FieldBench(faults: .at([1: .tear(absence: .seconds(2))]))
    _ = bench.list()
    let start = bench.now
    #expect(bench.run([0x40, 0x01, 0x00, 0xA4]) == [0x41, 0x01])
    #expect(bench.now - start == .nanoseconds(302_065 << 7) * 4)
    #expect(bench.list() == [0x4B, 0x00])
    bench.pass(.seconds(3))
    #expect(bench.list()?.prefix(2) == [0x4B, 0x01])
    #expect(bench.exchange([0x01])?.data == [0x01, 0x90, 0x00])
  }

  @Test func `a field that fails resets the card, and the card is found again`() {
    var bench = FieldBench(faults: .at([0: .fieldOff(.milliseconds(5))]))
    _ = bench.list()
    #expect(bench.run([0x40, 0x01, 0x00, 0xA4]) == [0x41, 0x01])
    #expect(bench.list()?.prefix(2) == [0x4B, 0x01])
    #expect(bench.exchange([0x01])?.data == [0x01, 0x90, 0x00])
  }

  @Test(arguments: UInt64(0)..<40)
  func `with faults by chance an exchange gives the right response or an error, never another's`(seed: UInt64) {
    let plan = FaultPlan.random(
      seed: seed,
      [
        (.drop, 30), (.corrupt, 30), (.delay(.milliseconds(50)), 10), (.tear(absence: .milliseconds(20)), 5),
        (.fieldOff(.milliseconds(5)), 5),
      ])
    var bench = FieldBench(faults: plan)
    var (right, failed) = (0, 0)
    var isActive = false
    for turn in 0..<60 {
      if !isActive { isActive = bench.list()?.prefix(2) == [0x4B, 0x01] }
      guard isActive else { continue }
      let command = Self.command(10 + turn * 5, seed: turn)
      let result = bench.exchange(command)
      if result?.status == 0 {
        right += 1
        #expect(result?.data == command.reversed() + [0x90, 0x00])
      } else {
        failed += 1
        #expect([0x01, 0x02, 0x0B].contains(result?.status))
        isActive = false
      }
    }
    #expect(right > 0)
  }

  @Test func `the same seed gives the same outputs at the same instants`() {
    func outputs(seed: UInt64) -> [SimulatedField.Output] {
      var bench = FieldBench(faults: .random(seed: seed, [(.drop, 100), (.corrupt, 100)]))
      for turn in 0..<20 {
        _ = bench.list()
        _ = bench.exchange(Self.command(100, seed: turn))
      }
      return bench.outputs
    }
    #expect(outputs(seed: 7) == outputs(seed: 7))
    #expect(outputs(seed: 7) != outputs(seed: 8))
  }

  // MARK: Two chips

  @Test(arguments: [1, 60, 61, 62, 255, 262, 263, 600])
  func `two chips exchange commands and responses of every size`(count: Int) {
    var bench = FieldBench(.pair)
    #expect(
      bench.activatePair() == [
        0x4B, 0x01, 0x01, 0x00, 0x04, 0x20, 0x04, 0x08, 0xAB, 0xCD, 0xEF, 0x07, 0x75, 0x33, 0x92, 0x03, 0x41, 0x42,
      ])
    #expect(bench.reply(of: 1) == [0x8D, 0x08, 0xE0, 0x50])
    for seed in 0..<3 {
      let command = Self.command(count, seed: seed)
      var rest = command[...]
      while rest.count > 262 {
        #expect(bench.run([0x40, 0x41] + rest.prefix(262)) == [0x41, 0x00])
        rest = rest.dropFirst(262)
      }
      bench.post([0x40, 0x01] + rest)
      var received: [UInt8] = []
      while let part = bench.run([0x86], on: 1) {
        received += part.dropFirst(2)
        if part[1] == 0x00 { break }
      }
      #expect(received == command)
      #expect(bench.run([0x8A], on: 1) == [0x8B, 0x01, 0x00])
      var answer = command.reversed()[...]
      while answer.count > 262 {
        #expect(bench.run([0x94] + answer.prefix(262), on: 1) == [0x95, 0x00])
        answer = answer.dropFirst(262)
      }
      #expect(bench.run([0x8E] + answer, on: 1) == [0x8F, 0x00])
      var response: [UInt8] = []
      var reply = bench.reply()
      while let part = reply, part.count >= 2 {
        response += part.dropFirst(2)
        reply = part[1] == 0x40 ? bench.run([0x40, 0x01]) : nil
      }
      #expect(response == command.reversed())
    }
  }

  @Test func `the target hears of its release, whether it waits or not`() {
    for isDeselected in [true, false] {
      for waits in [true, false] {
        var bench = FieldBench(.pair)
        _ = bench.activatePair()
        _ = bench.reply(of: 1)
        if waits { bench.post([0x86], on: 1) }
        _ = bench.run(isDeselected ? [0x44, 0x01] : [0x32, 0x01, 0x00])
        #expect((waits ? bench.reply(of: 1) : bench.run([0x86], on: 1)) == [0x87, 0x29])
        #expect(bench.run([0x8A], on: 1) == [0x8B, isDeselected ? 0x02 : 0x00, 0x00])
        #expect(bench.run([0x8E, 0x90, 0x00], on: 1) == [0x8F, 0x29])
      }
    }
  }

  @Test(arguments: [FieldFault.drop, .corrupt], 0..<20)
  func `one fault between two chips is recovered from`(fault: FieldFault, frame: Int) {
    var bench = FieldBench(.pair, faults: .at([frame: fault]))
    _ = bench.activatePair()
    _ = bench.reply(of: 1)
    for seed in 0..<3 {
      let command = Self.command(150, seed: seed)
      bench.post([0x40, 0x01] + command)
      #expect(bench.run([0x86], on: 1) == [0x87, 0x00] + command)
      // The host is slower than the waiting time.
      bench.pass(.milliseconds(200))
      #expect(bench.run([0x8E] + command.reversed(), on: 1) == [0x8F, 0x00])
      #expect(bench.reply() == [0x41, 0x00] + command.reversed(), "\(fault) at frame \(frame)")
    }
  }

  @Test func `a target without the protocol gets every frame as it is`() {
    var bench = FieldBench(.pair)
    var initialization = FieldBench.initialization
    (initialization[1], initialization[7]) = (0x01, 0x08)
    bench.post(initialization, on: 1)
    #expect(bench.list()?.prefix(6) == [0x4B, 0x01, 0x01, 0x00, 0x04, 0x08])
    bench.post([0x40, 0x01, 0x30, 0x04])
    #expect(bench.reply(of: 1) == [0x8D, 0x00, 0x30, 0x04])
    #expect(bench.run([0x86], on: 1) == [0x87, 0x25])
    #expect(bench.run([0x90, 1, 2, 3], on: 1) == [0x91, 0x00])
    #expect(bench.reply() == [0x41, 0x00, 1, 2, 3])
    bench.post([0x88], on: 1)
    bench.post([0x40, 0x01, 0x30, 0x05])
    #expect(bench.reply(of: 1) == [0x89, 0x00, 0x30, 0x05])
    #expect(bench.reply() == [0x41, 0x01])
  }

  // MARK: Garbage

  @Test func `random commands in random states are survived`() {
    var random = SplitMix64(seed: 3)
    for layout in [SimulatedField.Layout.chip, .card(ProximityIdentity()), .pair] {
      var bench = FieldBench(layout, faults: .random(seed: 4, [(.drop, 50), (.corrupt, 50)]))
      let codes = PN532Command.allCases.map(\.rawValue)
      for _ in 0..<5_000 {
        let chip = layout == .pair ? Int.random(in: 0...1, using: &random) : 0
        var command = [Int.random(in: 0..<20, using: &random) == 0 ? 0xFF : codes.randomElement(using: &random)!]
        let count = [0, 1, 2, 3, 4, 36, 40, 262].randomElement(using: &random)!
        command += (0..<count).map { _ in
          [0x00, 0x01, 0x02, 0x20, 0x41, UInt8.random(in: .min ... .max, using: &random)].randomElement(using: &random)!
        }
        if Int.random(in: 0..<10, using: &random) == 0 { command = FieldBench.initialization }
        bench.post(command, on: chip)
        bench.settle(limit: .milliseconds(Int.random(in: 0...20, using: &random)))
      }
      bench.settle(limit: .seconds(1))
      #expect(bench.run([0x14, 0x01]) != nil)
    }
  }

  @Test func `random octets on the serial line are survived, and frames behind them are answered`() {
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
