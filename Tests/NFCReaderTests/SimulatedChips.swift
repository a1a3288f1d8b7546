import Foundation
import Links
import NFCReader
import Octets
import ReaderSimulator
import TestSupport
import Testing

/// libnfc on simulated chips. The tests run one after the other, because they count descriptors and processes.
@Suite(.blocks, .serialized, .timeLimit(.minutes(20)))
enum LibNFCTests {}

/// Simulated chips that run until their owner is released.
final class SimulatedChips: Sendable {
  let simulator: ReaderSimulator
  private let thread: DedicatedThread<Void, LinkError>

  init(
    _ layout: SimulatedField.Layout, timing: FieldTiming = FieldTiming(), faults: FieldFaultPlan = .none,
    card: ScriptedResponder = ChannelContract.responder()
  ) throws(LinkError) {
    simulator = try ReaderSimulator(layout, timing: timing, faults: faults)
    thread = serving(simulator, card)
  }

  deinit { remove() }

  func open(_ chip: Int = 0) throws(LinkError) -> NFCDevice { try NFCDevice(simulator.connstrings[chip]) }
}

extension SimulatedChips: ChipHarness {
  static var longestResponse: Int { NFCDevice.maximumResponseCount }
  static var cardExchangeCount: Int { 6 }

  static func plug(
    _ layout: SimulatedField.Layout, timing: FieldTiming, faults: FieldFaultPlan, card: ScriptedResponder
  ) throws -> SimulatedChips {
    try SimulatedChips(layout, timing: timing, faults: faults, card: card)
  }

  func setCoupled(_ isCoupled: Bool) { simulator.setCoupled(isCoupled) }

  func vanish() { simulator.stop() }

  func remove() {
    simulator.stop()
    try? thread.join()
  }
}

/// The child processes of the test. Descriptors are not counted: other suites open theirs at the same time.
struct ChildProcesses {
  /// The `tap-nfc` processes of this test, zombies included.
  static func processes() -> [pid_t] { children(named: "tap-nfc") }

  /// The child processes with a name, zombies included.
  static func children(named name: String) -> [pid_t] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return entries.compactMap { pid_t($0) }.filter { process in
      guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
      let fields = status.split(separator: " ")
      return fields.count > 3 && fields[1] == "(\(name))" && fields[3] == "\(getpid())"
    }
  }

  /// Whether all processes end within 2 s.
  func haveEnded(named name: String = "tap-nfc") -> Bool {
    for _ in 0..<1000 {
      if Self.children(named: name).isEmpty { return true }
      usleep(2_000)
    }
    return false
  }
}
