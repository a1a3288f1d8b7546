import DeviceAuthentication
import Foundation
import Synchronization
import TestSupport

/// The device of a real user behind `tap-device`: fprintd with a virtual sensor, PAM, the shadow file and swtpm.
final class LinuxScenarioDevice: ScenarioDevice {
  let stage: FingerprintStage
  let program: DeviceProgram
  let person: ApprovingPerson
  /// Whether `tap-device` ends before each change and starts again after it.
  private let changesWhileStopped: Bool
  private let fingerCount = Mutex(0)

  private static let fingers = ["right-index-finger", "left-index-finger", "right-thumb", "left-thumb"]

  init(changesWhileStopped: Bool) throws {
    stage = try FingerprintStage()
    program = try DeviceProgram(environment: stage.environment, further: ["--prints", stage.prints])
    self.changesWhileStopped = changesWhileStopped
    person = ApprovingPerson(stage, program.terminal)
    try program.machine.installHook(program: DeviceProgram.path, state: program.state)
  }

  deinit { person.leave() }

  var ports: DevicePorts { program.ports }

  func apply(_ change: DeviceChange) async throws(DeviceAuthenticationError) {
    do {
      if changesWhileStopped { program.end(SIGTERM) }
      try person.pausing { try make(change) }
      if changesWhileStopped { try program.start() }
    } catch {
      throw .unavailable(reason: "\(change): \(error)")
    }
  }

  private func make(_ change: DeviceChange) throws {
    switch change {
    case .setPasscode: try setPassword("1234")
    case .changePasscode: try setPassword("567890")
    case .disableLockScreen: try program.machine.removePassword()
    case .enrolBiometric:
      let number = fingerCount.withLock { count in
        defer { count += 1 }
        return count
      }
      // One print for every finger, so that each comparison of the virtual sensor matches.
      try stage.enrol(Self.fingers[number % Self.fingers.count], as: ApprovingPerson.print)
    case .removeAllBiometrics: try stage.run("fprintd-delete", FingerprintStage.user)
    }
  }

  private func setPassword(_ password: String) throws {
    try program.machine.setPassword(password)
    person.learn(password)
  }

  func setUser(_ user: SimulatedUser) async throws(DeviceAuthenticationError) {
    guard user == .approve else { throw .unavailable(reason: "this person only approves") }
  }
}

/// A person who presents an enrolled finger whenever the sensor waits for one, and enters the present passcode.
final class ApprovingPerson: Sendable {
  /// The name of the print of every finger.
  static let print = "finger"

  private let typist: Typist
  private let passcode: Box
  /// Held during a change of the settings, in which the person does nothing.
  private let action = NSLock()
  private let isLeaving = Atomic(false)
  private let hasLeft = DispatchSemaphore(value: 0)

  private final class Box: Sendable {
    let text = Mutex("")
  }

  init(_ stage: FingerprintStage, _ terminal: PseudoTerminal) {
    let box = Box()
    passcode = box
    typist = Typist(terminal) { box.text.withLock { $0 + "\n" } }
    Thread.detachNewThread { [self] in
      while !isLeaving.load(ordering: .acquiring) {
        action.withLock {
          if stage.isWaitingForFinger { try? stage.send(Array("SCAN \(Self.print)".utf8)) }
        }
        usleep(20_000)
      }
      hasLeft.signal()
    }
  }

  /// A person of the same passcode at another terminal.
  func typist(at terminal: PseudoTerminal) -> Typist {
    Typist(terminal) { [passcode] in passcode.text.withLock { $0 + "\n" } }
  }

  func learn(_ password: String) { passcode.text.withLock { $0 = password } }

  func pausing(_ body: () throws -> Void) throws { try action.withLock { try body() } }

  /// Ends the person. Blocks until it has ended.
  func leave() {
    isLeaving.store(true, ordering: .releasing)
    hasLeft.wait()
    typist.stop()
  }
}
