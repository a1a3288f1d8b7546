import Foundation
import Links
import NFCReader
import Octets
import ReaderSimulator
import TestSupport
import Testing

/// Real libnfc on simulated chips: one test after the other, since descriptors and processes are counted.
@Suite(.blocks, .serialized, .timeLimit(.minutes(10)))
enum LibNFCTests {}

/// Simulated chips that run as long as their owner lives.
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

/// The processes that tests leave behind. Descriptors are not counted: other suites of this process open theirs meanwhile.
struct Possessions {
  /// The processes of that name that are ours, zombies included.
  static func processes() -> [pid_t] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return entries.compactMap { pid_t($0) }.filter { process in
      guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
      let fields = status.split(separator: " ")
      return fields.count > 3 && fields[1] == "(tap-nfc)" && fields[3] == "\(getpid())"
    }
  }

  /// Whether no process is left; threads may need a moment to let go.
  func areBack() -> Bool {
    for _ in 0..<1000 {
      if Self.processes().isEmpty { return true }
      usleep(2_000)
    }
    return false
  }
}
