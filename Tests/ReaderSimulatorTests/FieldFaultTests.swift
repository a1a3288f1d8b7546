import ISO7816
import Octets
import ReaderSimulator
import Testing

/// Faults of frames, and the recovery of ISO-DEP from them.
struct FieldFaultTests {
  @Test(arguments: [FieldFault.drop, .corrupt, .delay(.milliseconds(1)), .delay(.milliseconds(60))], 0..<24)
  func `a chained exchange recovers from one fault at any frame`(fault: FieldFault, frame: Int) {
    let identity = ProximityIdentity(answerToSelect: [0x05, 0x75, 0x80, 0x70, 0x02])
    var harness = FieldHarness(.card(identity), faults: .at([frame: fault]))
    _ = harness.list()
    for seed in 0..<3 {
      let command = fieldCommand(200, seed: seed)
      let result = harness.exchange(command)
      #expect(result?.status == 0)
      #expect(result?.data == command.reversed() + [0x90, 0x00], "\(fault) at frame \(frame)")
    }
    #expect(harness.field.faults.faultCount == 1)
  }

  @Test(arguments: [FieldFault.drop, .corrupt, .fieldOff(.milliseconds(1))], 0..<8)
  func `one fault at any frame of the activation costs one or two attempts`(fault: FieldFault, frame: Int) {
    // REQA, anticollision, SELECT and RATS, each with its response.
    var harness = FieldHarness(faults: .at([frame: fault], sparesActivation: false))
    #expect(harness.list() == [0x4B, 0x00])
    #expect(harness.field.faults.faultCount == 1)
    harness.pass(.milliseconds(10))
    // A card whose ATQA was lost treats the next REQA as an error (ISO/IEC 14443-3:2018, 6.4.2).
    if frame == 1, fault != .fieldOff(.milliseconds(1)) { #expect(harness.list() == [0x4B, 0x00]) }
    #expect(harness.list()?.prefix(2) == [0x4B, 0x01], "\(fault) at frame \(frame)")
    #expect(harness.exchange([0x01])?.data == [0x01, 0x90, 0x00])
  }

  @Test func `a response from before a loss of power is ignored`() {
    // The first response takes two seconds, all others 1.5 seconds.
    var isFirst = true
    var harness = FieldHarness(card: { command in
      defer { isFirst = false }
      return (command + [0x90, 0x00], isFirst ? .seconds(2) : .milliseconds(1500))
    })
    _ = harness.list()
    harness.post([0x40, 0x01, 0xAA])
    harness.pass(.seconds(1))
    #expect(harness.list()?.prefix(2) == [0x4B, 0x01])
    // The first response is due while the card computes the second one.
    #expect(harness.exchange([0xBB])?.data == [0xBB, 0x90, 0x00])
  }

  @Test func `an answer that begins in time is received to its end`() {
    func elapsed(_ faults: FieldFaultPlan) -> Duration {
      var harness = FieldHarness(
        timing: FieldTiming(pacing: .realTime), faults: faults, card: { _ in (fieldCommand(60), .zero) })
      _ = harness.list()
      let start = harness.now
      #expect(harness.exchange([0x00])?.data == fieldCommand(60))
      return harness.now - start
    }
    // The waiting time is 38.7 ms, and the response takes 5 ms.
    #expect(elapsed(.at([1: .delay(.milliseconds(36))])) - elapsed(.none) == .milliseconds(36))
  }

  @Test func `an answer that begins too late is ignored`() {
    var harness = FieldHarness(faults: .at([1: .delay(.milliseconds(60))]))
    _ = harness.list()
    let start = harness.now
    #expect(harness.exchange([0x01])?.data == [0x01, 0x90, 0x00])
    // The waiting time is over; then the reader asks for the response again.
    #expect(harness.now - start == .nanoseconds(302_065 << 7))
  }

  @Test func `a host that runs ISO-DEP itself gets errors for wrong parity and for no answer`() {
    var harness = FieldHarness(faults: .at([1: .corrupt, 3: .drop]))
    _ = harness.list()
    #expect(harness.run([0x42, 0xB2]) == [0x43, 0x03])
    #expect(harness.run([0x42, 0xB2]) == [0x43, 0x01])
    #expect(harness.run([0x42, 0xB2]) == [0x43, 0x00, 0xA3])
    // Without the chip's checksum, the host must append one, and gets the card's.
    _ = harness.run([0x08, 0x63, 0x02, 0x00, 0x63, 0x03, 0x00])
    #expect(harness.run([0x42, 0xB2]) == [0x43, 0x01])
    #expect(harness.run([0x42] + AirFrame(checked: [0xB2]).octets) == [0x43, 0x00] + AirFrame(checked: [0xA3]).octets)
  }

  @Test(arguments: 0..<8)
  func `a request for more time recovers from one fault`(frame: Int) {
    for fault in [FieldFault.drop, .corrupt] {
      var harness = FieldHarness(faults: .at([frame: fault]), card: { ($0 + [0x90, 0x00], .milliseconds(70)) })
      _ = harness.list()
      #expect(harness.exchange([0x00, 0xA4])?.data == [0x00, 0xA4, 0x90, 0x00], "\(fault) at frame \(frame)")
    }
  }

  @Test func `a removed card ends the exchange after four waiting times, and can come back`() {
    var harness = FieldHarness(faults: .at([1: .tear(absence: .seconds(2))]))
    _ = harness.list()
    let start = harness.now
    #expect(harness.run([0x40, 0x01, 0x00, 0xA4]) == [0x41, 0x01])
    #expect(harness.now - start == .nanoseconds(302_065 << 7) * 4)
    #expect(harness.list() == [0x4B, 0x00])
    harness.pass(.seconds(3))
    #expect(harness.list()?.prefix(2) == [0x4B, 0x01])
    #expect(harness.exchange([0x01])?.data == [0x01, 0x90, 0x00])
  }

  @Test func `a field that fails resets the card, and the card is found again`() {
    var harness = FieldHarness(faults: .at([0: .fieldOff(.milliseconds(5))]))
    _ = harness.list()
    #expect(harness.run([0x40, 0x01, 0x00, 0xA4]) == [0x41, 0x01])
    #expect(harness.list()?.prefix(2) == [0x4B, 0x01])
    #expect(harness.exchange([0x01])?.data == [0x01, 0x90, 0x00])
  }

  @Test(arguments: UInt64(0)..<40)
  func `an exchange with random faults returns its own response or an error`(seed: UInt64) {
    let plan = FieldFaultPlan.random(
      seed: seed,
      [
        (.drop, 30), (.corrupt, 30), (.delay(.milliseconds(50)), 10), (.tear(absence: .milliseconds(20)), 5),
        (.fieldOff(.milliseconds(5)), 5),
      ])
    var harness = FieldHarness(faults: plan)
    var (right, failed) = (0, 0)
    var isActive = false
    for turn in 0..<60 {
      if !isActive { isActive = harness.list()?.prefix(2) == [0x4B, 0x01] }
      guard isActive else { continue }
      let command = fieldCommand(10 + turn * 5, seed: turn)
      let result = harness.exchange(command)
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

  @Test func `the shares of all faults add up`() {
    var harness = FieldHarness(faults: .random(seed: 1, [(.drop, 300), (.corrupt, 700)]))
    for _ in 0..<20 { _ = harness.list() }
    #expect(harness.field.faults.frameCount >= 20)
    #expect(harness.field.faults.faultCount == harness.field.faults.frameCount)
  }

  @Test func `the same seed gives the same outputs at the same instants`() {
    func outputs(seed: UInt64) -> [SimulatedField.Output] {
      var harness = FieldHarness(faults: .random(seed: seed, [(.drop, 100), (.corrupt, 100)]))
      for turn in 0..<20 {
        _ = harness.list()
        _ = harness.exchange(fieldCommand(100, seed: turn))
      }
      return harness.outputs
    }
    #expect(outputs(seed: 7) == outputs(seed: 7))
    #expect(outputs(seed: 7) != outputs(seed: 8))
  }
}
