import CSingleStep
import Glibc

/// A thread of another process that runs one instruction at a time.
struct SteppedThread {
  let number: pid_t

  /// Where a thread is: an address, and the system call that the instruction there makes.
  struct Place: Equatable, Sendable {
    let address: UInt64
    let call: Int?
    let argument: UInt64

    /// Whether the next instruction writes to a descriptor.
    func writes(to descriptor: Int32) -> Bool { call == Int(step_call_write()) && argument == UInt64(descriptor) }
  }

  /// Takes control of a thread.
  init(_ number: pid_t) throws(WalkFailure) {
    self.number = number
    try Self.check(step_seize(number), "stop thread \(number)")
  }

  private static func check(_ code: Int32, _ work: String) throws(WalkFailure) {
    guard code == 0 else { throw WalkFailure("cannot \(work) by ptrace: \(String(cString: strerror(code)))") }
  }

  /// Runs to the beginning of a read of a descriptor.
  func runToRead(of descriptor: Int32) throws(WalkFailure) {
    try Self.check(step_to_call(number, step_call_read(), UInt64(descriptor)), "run to a read")
  }

  /// Executes instructions, unless a response arrives meanwhile.
  func step(_ count: Int, responseAt socket: Int32) throws(WalkFailure) {
    guard CSingleStep.step(number, count, socket) == count || LineProcess.waits(on: socket, milliseconds: 0) else {
      throw WalkFailure("the process ended while it was stepped")
    }
  }

  /// Executes instructions until the next one writes to a descriptor.
  ///
  /// - Parameter look: Receives each place, also the last one, whose instruction is not executed.
  func step(
    atMost count: Int, beforeWriteTo descriptor: Int32, _ look: (Place) -> Void = { _ in }
  ) throws(WalkFailure) {
    var executed = 0
    while true {
      let place = try place()
      look(place)
      if executed == count || place.writes(to: descriptor) { return }
      try step(1, responseAt: -1)
      executed += 1
    }
  }

  /// Where the thread is.
  func place() throws(WalkFailure) -> Place {
    var place = step_place()
    try Self.check(step_where(number, &place), "read the place")
    return Place(address: place.address, call: place.call < 0 ? nil : place.call, argument: place.argument)
  }

  /// Runs on, until the socket has a message or the time has passed.
  ///
  /// - Returns: Whether there is a message.
  func run(until socket: Int32, milliseconds: Int, isStopped: Bool = true) throws(WalkFailure) -> Bool {
    if isStopped { try Self.check(step_continue(number), "continue") }
    for _ in 0..<milliseconds * 2 {
      if LineProcess.waits(on: socket, milliseconds: 0) { return true }
      try Self.check(step_watch(number), "watch")
      usleep(500)
    }
    return LineProcess.waits(on: socket, milliseconds: 0)
  }

  /// Gives up the control of the thread, which runs.
  func release() throws(WalkFailure) { try Self.check(step_release(number), "release") }
}

/// Gives the programs that this one starts the same addresses in each run. Returns whether the system allows it.
func step_fixed() -> Bool { step_fix_addresses() == 0 }
