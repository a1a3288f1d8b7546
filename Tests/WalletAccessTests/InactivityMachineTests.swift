import Octets
import TestSupport
import Testing
import WalletAccess

@Suite struct InactivityMachineTests {
  private let start = Instant(nanoseconds: 1_000)

  @Test func `the shorter limit holds`() {
    #expect(InactivityLimit(issuer: .seconds(600)).duration == .seconds(600))
    #expect(InactivityLimit(issuer: .seconds(600), user: .seconds(120)).duration == .seconds(120))
    #expect(InactivityLimit(issuer: .seconds(600), user: .seconds(900)).duration == .seconds(600))
  }

  @Test func `a session ends at its limit and not before`() {
    var machine = InactivityMachine(limit: InactivityLimit(issuer: .seconds(120)), now: start)
    let deadline = start + .seconds(120)
    #expect(machine.examine(at: start) == .wait(until: deadline))
    #expect(machine.examine(at: start + (.seconds(120) - .nanoseconds(1))) == .wait(until: deadline))
    #expect(machine.examine(at: deadline) == .logOut)
  }

  @Test func `activity restarts the time`() {
    var machine = InactivityMachine(limit: InactivityLimit(issuer: .seconds(120)), now: start)
    let later = start + .seconds(119)
    #expect(machine.active(at: later) == .wait(until: later + .seconds(120)))
    #expect(machine.examine(at: start + .seconds(130)) == .wait(until: later + .seconds(120)))
    #expect(machine.examine(at: later + .seconds(120)) == .logOut)
  }

  @Test func `activity does not open an ended session`() {
    var machine = InactivityMachine(limit: InactivityLimit(issuer: .seconds(120)), now: start)
    #expect(machine.active(at: start + .seconds(120)) == .logOut)
    #expect(machine.active(at: start + .seconds(121)) == .logOut)
    // The clock does not run back, but a session that has ended stays ended in any case.
    #expect(machine.examine(at: start) == .logOut)
  }

  @Test func `the time before a restart of the program counts`() {
    let limit = InactivityLimit(issuer: .seconds(120))
    var open = InactivityMachine(limit: limit, idle: .seconds(100), now: start)
    #expect(open.examine(at: start) == .wait(until: start + .seconds(20)))
    var ended = InactivityMachine(limit: limit, idle: .seconds(120), now: start)
    #expect(ended.examine(at: start) == .logOut)
    var negative = InactivityMachine(limit: limit, idle: .seconds(-5), now: start)
    #expect(negative.examine(at: start) == .wait(until: start + .seconds(120)))
  }
}
