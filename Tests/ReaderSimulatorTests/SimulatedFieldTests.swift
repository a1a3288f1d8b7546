import ISO7816
import Octets
import ReaderSimulator
import Testing

/// Chips and a card in a field, without real time.
struct SimulatedFieldTests {
  /// ATS of cards with frames of 16, 64 and 256 bytes.
  static let answers: [[UInt8]] = [
    [0x05, 0x70, 0x80, 0x70, 0x02], [0x05, 0x75, 0x80, 0x70, 0x02], [0x05, 0x78, 0x80, 0x70, 0x02], [0x01],
  ]

  @Test(arguments: answers, [1, 4, 12, 13, 14, 26, 60, 61, 62, 253, 254, 261, 262, 263, 600, 5000])
  func `commands and responses of every size cross the field`(answer: [UInt8], count: Int) {
    var harness = FieldHarness(.card(ProximityIdentity(answerToSelect: answer)))
    let listed = harness.list()
    #expect(listed == [0x4B, 0x01, 0x01, 0x00, 0x04, 0x20, 0x04, 0x08, 0x5A, 0xC3, 0x1E] + answer)
    for seed in 0..<3 {
      let command = fieldCommand(count, seed: seed)
      let result = harness.exchange(command)
      #expect(result?.status == 0)
      #expect(result?.data == command.reversed() + [0x90, 0x00])
    }
  }

  @Test(arguments: [4, 7, 10])
  func `a card with an identifier of any size is found, also by its identifier`(count: Int) {
    let identifier: [UInt8] = [0x04] + fieldCommand(count - 1)
    var harness = FieldHarness(.card(ProximityIdentity(identifier: identifier)))
    let found = harness.list()
    #expect(found.map { Array($0[6..<7 + count]) } == [UInt8(count)] + identifier)
    _ = harness.run([0x52, 0x00])
    _ = harness.run([0x32, 0x01, 0x00])
    #expect(harness.run([0x4A, 0x01, 0x00] + identifier)?.prefix(2) == [0x4B, 0x01])
    _ = harness.run([0x32, 0x01, 0x00])
    #expect(harness.run([0x4A, 0x01, 0x00, 1, 2, 3, 4]) == [0x4B, 0x00])
  }

  @Test func `the card gets its power, its deselection and its loss as events`() {
    var harness = FieldHarness()
    _ = harness.list()
    _ = harness.exchange([0x00, 0xA4])
    _ = harness.run([0x52, 0x00])
    _ = harness.run([0x32, 0x01, 0x00])
    let events = harness.outputs.compactMap { if case .field(let event, _) = $0 { event } else { nil } }
    #expect(events == [.powered, .deselected, .lost])
  }

  @Test func `a card that is still selected is found again after a moment without power`() {
    var harness = FieldHarness()
    _ = harness.list()
    _ = harness.exchange([0x00, 0xA4])
    #expect(harness.list()?.prefix(2) == [0x4B, 0x01])
    let events = harness.outputs.compactMap { if case .field(let event, _) = $0 { event } else { nil } }
    #expect(events == [.powered, .lost, .powered])
    #expect(harness.exchange([0x01, 0x02])?.data == [0x02, 0x01, 0x90, 0x00])
  }

  @Test(arguments: [0, 1, 19, 20, 38, 39, 40, 100, 1000, 7000])
  func `a slow card asks for more time as often as necessary`(milliseconds: Int) {
    var harness = FieldHarness(card: { ($0 + [0x90, 0x00], .milliseconds(milliseconds)) })
    _ = harness.list()
    let start = harness.now
    #expect(harness.exchange([0x00, 0xA4])?.data == [0x00, 0xA4, 0x90, 0x00])
    #expect(harness.now - start == .milliseconds(milliseconds))
    #expect(harness.exchange([0x00, 0xB2])?.data == [0x00, 0xB2, 0x90, 0x00])
  }

  @Test func `a card that never answers keeps asking for time, and the next command works`() {
    var harness = FieldHarness(card: { _ in nil })
    _ = harness.list()
    #expect(harness.run([0x40, 0x01, 0x00]) == nil)
    #expect(harness.run([0x52, 0x00]) == [0x53, 0x00])
  }

  @Test func `real-time pacing takes the time of 106 kbit/s`() {
    func elapsed(_ count: Int, _ pacing: FieldTiming.Pacing) -> Duration {
      var harness = FieldHarness(timing: FieldTiming(pacing: pacing), card: { (fieldCommand($0.count), .zero) })
      _ = harness.list()
      let start = harness.now
      _ = harness.exchange(fieldCommand(count))
      return harness.now - start
    }
    #expect(elapsed(10, .none) == .zero)
    // Two blocks of 13 bytes, 9 bits each, with start and end of frame, and 90 us before each.
    let block = Duration.nanoseconds(9_439 * (13 * 9 + 2) + 90_000)
    #expect(elapsed(10, .realTime) == block * 2)
    #expect(elapsed(259, .realTime) > .milliseconds(45))
  }

  @Test func `a card ignores a frame above its frame size`() {
    var harness = FieldHarness(.card(ProximityIdentity(answerToSelect: Self.answers[0])))
    _ = harness.list()
    // The limit is 16 bytes with the checksum.
    #expect(harness.run([0x42, 0x02] + fieldCommand(14)) == [0x43, 0x01])
    #expect(
      harness.run([0x42, 0x02] + fieldCommand(13)) == [0x43, 0x00, 0x02] + fieldCommand(13).reversed() + [0x90, 0x00])
  }

  @Test func `waiting times are divided by the divisor`() {
    for divisor in [1, 2, 16] {
      var harness = FieldHarness(
        timing: FieldTiming(waitingTimeDivisor: divisor), faults: .at([1: .tear(absence: nil)]))
      _ = harness.list()
      let start = harness.now
      #expect(harness.run([0x40, 0x01, 0x00, 0xA4]) == [0x41, 0x01])
      let waitingTime = Duration.nanoseconds(302_065 << 7) / divisor
      #expect(harness.now - start == waitingTime * 4)
    }
  }

  @Test func `no waiting time is divided below 100 us`() {
    var harness = FieldHarness(.chip, timing: FieldTiming(waitingTimeDivisor: 1_000_000))
    let start = harness.now
    #expect(harness.list() == [0x4B, 0x00])
    #expect(harness.now - start == .microseconds(100))
  }

  @Test func `a sleeping chip ignores all bytes until it is woken`() {
    var field = SimulatedField(.chip)
    var now = Instant(nanoseconds: 0)
    func frame(_ content: [UInt8]) -> [UInt8] { HSUFrame.information(content).octets(identifier: 0xD4) }
    func answer(to octets: [UInt8]) -> [UInt8] {
      field.send(octets, to: 0, at: now)
      now = now + .seconds(1)
      var came: [UInt8] = []
      while case .octets(let octets, _)? = field.next(until: now) { came += octets }
      return came
    }
    let version = HSUFrame.acknowledge.octets() + HSUFrame.information([0x03, 0x32, 0x01, 0x06, 0x07]).octets()
    #expect(answer(to: [0x55] + frame([0x02])) == version)
    let asleep = HSUFrame.acknowledge.octets() + HSUFrame.information([0x17, 0x00]).octets()
    #expect(answer(to: frame([0x16, 0xF0])) == asleep)
    // The first frame has enough edges to wake the chip, and its first bytes are lost.
    #expect(answer(to: frame([0x02])) == [])
    #expect(answer(to: frame([0x02])) == version)
  }
}
