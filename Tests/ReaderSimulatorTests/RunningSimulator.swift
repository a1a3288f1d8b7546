import ISO7816
import Links
import Octets
import ReaderSimulator
import TestSupport
import Testing

/// A simulator that runs on its own thread until its owner is released.
final class RunningSimulator: Sendable {
  let simulator: ReaderSimulator
  private let thread: DedicatedThread<Void, LinkError>

  init(
    _ layout: SimulatedField.Layout, timing: FieldTiming = FieldTiming(waitingTimeDivisor: 4),
    faults: FieldFaultPlan = .none, card: ScriptedResponder = ChannelContract.responder()
  ) throws(LinkError) {
    let simulator = try ReaderSimulator(layout, timing: timing, faults: faults)
    self.simulator = simulator
    thread = serving(simulator, card)
  }

  func finish() throws(LinkError) {
    simulator.stop()
    try thread.join()
  }

  deinit { simulator.stop() }
}

/// Starts a program of libnfc; a missing program fails the test.
func libnfc(_ program: String, _ arguments: [String] = [], chip: String) throws -> ProgramRun {
  try ProgramRun(program, arguments, environment: ["LIBNFC_DEVICE": chip, "LIBNFC_AUTO_SCAN": "false"])
}

private let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

/// Starts tools/oracles/nfc_exchange.py.
func exchange(_ role: String, _ chip: String, _ steps: [String] = []) throws -> ProgramRun {
  try ProgramRun("/usr/bin/python3", ["\(root)/tools/oracles/nfc_exchange.py", role, chip] + steps)
}

/// Starts tools/oracles/nfcpy_exchange.py. `tools/test` installs nfcpy; without it the test fails.
func nfcpy(_ path: String, _ steps: [String]) throws -> ProgramRun {
  try ProgramRun("\(root)/.build/oracles/bin/python", ["\(root)/tools/oracles/nfcpy_exchange.py", path] + steps)
}

extension ProgramRun {
  /// The lines of the program's output, after it has ended with exit code 0.
  func lines() throws -> [String] {
    let ending = try finish(timeout: .seconds(30))
    try #require(ending == .exited(0), "\(output)\n\(errors)")
    return output.split(separator: "\n").map(String.init)
  }
}

/// The tests in real time. They run one after the other, since some count the descriptors of the process.
@Suite(.blocks, .serialized, .timeLimit(.minutes(20)))
enum RealTimeTests {}
