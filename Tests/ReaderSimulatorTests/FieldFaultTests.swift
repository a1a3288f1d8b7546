import ISO7816
import Octets
import ReaderSimulator
import Testing

/// Frames that go wrong, and what the protocol makes of it.
struct FieldFaultTests {
  @Test(arguments: [FieldFault.drop, .corrupt, .delay(.milliseconds(1)), .delay(.milliseconds(60))], 0..<24)
  func `one fault at any frame of a chained exchange is recovered from`(fault: FieldFault, frame: Int) {
    let identity = ProximityIdentity(answerToSelect: [0x05, 0x75, 0x80, 0x70, 0x02])
    var bench = FieldBench(.card(identity), faults: .at([frame: fault]))
    _ = bench.list()
    for seed in 0..<3 {
      let command = fieldCommand(200, seed: seed)
      let result = bench.exchange(command)
      #expect(result?.status == 0)
      #expect(result?.data == command.reversed() + [0x90, 0x00], "\(fault) at frame \(frame)")
    }
    #expect(bench.field.faults.faultCount == 1)
  }

  @Test(arguments: [FieldFault.drop, .corrupt, .fieldOff(.milliseconds(1))], 0..<8)
  func `one fault at any frame of the activation costs an attempt or two`(fault: FieldFault, frame: Int) {
    // REQA, anticollision, SELECT and RATS, each with its answer.
    var bench = FieldBench(faults: .at([frame: fault], sparesActivation: false))
    #expect(bench.list() == [0x4B, 0x00])
    #expect(bench.field.faults.faultCount == 1)
    bench.pass(.milliseconds(10))
    // A card whose ATQA was lost takes the next REQA for an error (ISO/IEC 14443-3:2018, 6.4.2).
    if frame == 1, fault != .fieldOff(.milliseconds(1)) { #expect(bench.list() == [0x4B, 0x00]) }
    #expect(bench.list()?.prefix(2) == [0x4B, 0x01], "\(fault) at frame \(frame)")
    #expect(bench.exchange([0x01])?.data == [0x01, 0x90, 0x00])
  }

  @Test func `an answer that is late for a card which lost its power answers nothing`() {
    // The first response comes after two seconds, all others at once.
    var isFirst = true
    var bench = FieldBench(card: { command in
      defer { isFirst = false }
      return (command + [0x90, 0x00], isFirst ? .seconds(2) : .milliseconds(1500))
    })
    _ = bench.list()
    bench.post([0x40, 0x01, 0xAA])
    bench.pass(.seconds(1))
    #expect(bench.list()?.prefix(2) == [0x4B, 0x01])
    // The stale response falls due while the card computes the next one.
    #expect(bench.exchange([0xBB])?.data == [0xBB, 0x90, 0x00])
  }

  @Test func `an answer that begins in time is heard to its end`() {
    func elapsed(_ faults: FaultPlan) -> Duration {
      var bench = FieldBench(
        timing: FieldTiming(pacing: .realTime), faults: faults, card: { _ in (fieldCommand(60), .zero) })
      _ = bench.list()
      let start = bench.now
      #expect(bench.exchange([0x00])?.data == fieldCommand(60))
      return bench.now - start
    }
    // The waiting time is 38.7 ms, and the answer takes 5 ms.
    #expect(elapsed(.at([1: .delay(.milliseconds(36))])) - elapsed(.none) == .milliseconds(36))
  }

  @Test func `an answer that begins too late is not waited for`() {
    var bench = FieldBench(faults: .at([1: .delay(.milliseconds(60))]))
    _ = bench.list()
    let start = bench.now
    #expect(bench.exchange([0x01])?.data == [0x01, 0x90, 0x00])
    // The waiting time; then the reader asks for the answer again.
    #expect(bench.now - start == .nanoseconds(302_065 << 7))
  }

  @Test func `a host that runs the protocol itself hears of wrong parity and of silence`() {
    var bench = FieldBench(faults: .at([1: .corrupt, 3: .drop]))
    _ = bench.list()
    #expect(bench.run([0x42, 0xB2]) == [0x43, 0x03])
    #expect(bench.run([0x42, 0xB2]) == [0x43, 0x01])
    #expect(bench.run([0x42, 0xB2]) == [0x43, 0x00, 0xA3])
    // Without the chip's checksum, the host must add one, and sees the card's.
    _ = bench.run([0x08, 0x63, 0x02, 0x00, 0x63, 0x03, 0x00])
    #expect(bench.run([0x42, 0xB2]) == [0x43, 0x01])
    #expect(bench.run([0x42] + AirFrame(checked: [0xB2]).octets) == [0x43, 0x00] + AirFrame(checked: [0xA3]).octets)
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
      let command = fieldCommand(10 + turn * 5, seed: turn)
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

  @Test func `shares of faults add up`() {
    var bench = FieldBench(faults: .random(seed: 1, [(.drop, 300), (.corrupt, 700)]))
    for _ in 0..<20 { _ = bench.list() }
    #expect(bench.field.faults.frameCount >= 20)
    #expect(bench.field.faults.faultCount == bench.field.faults.frameCount)
  }

  @Test func `the same seed gives the same outputs at the same instants`() {
    func outputs(seed: UInt64) -> [SimulatedField.Output] {
      var bench = FieldBench(faults: .random(seed: seed, [(.drop, 100), (.corrupt, 100)]))
      for turn in 0..<20 {
        _ = bench.list()
        _ = bench.exchange(fieldCommand(100, seed: turn))
      }
      return bench.outputs
    }
    #expect(outputs(seed: 7) == outputs(seed: 7))
    #expect(outputs(seed: 7) != outputs(seed: 8))
  }
}
