import ContactlessPayment
import DeviceAuthentication
import Fixtures
import Foundation
import TestSupport
import Testing
import WalletDatabase

/// The same rows with a process for the set-up and another for the payment, and a device in a file.
@Suite("A wallet whose device changes between two processes", .blocks, .timeLimit(.minutes(20)))
struct DeviceChangeProcessTests {
  static let rows = DeviceScenario.table

  /// Runs `wallet-exercise`, which is built beside the test program. Returns its output.
  static func run(_ command: String, _ arguments: [String]) throws -> String {
    try output(of: try start(command, arguments))
  }

  static func start(_ command: String, _ arguments: [String]) throws -> ProgramRun {
    let folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    return try ProgramRun(folder.appending(path: "wallet-exercise").path, [command] + arguments)
  }

  /// Waits for the end of a program and returns its output.
  static func output(of program: ProgramRun) throws -> String {
    let ending = try program.finish(timeout: .seconds(300))
    try #require(ending == .exited(0), "\(program.errors)")
    return program.output.trimmingCharacters(in: .newlines)
  }

  @Test(arguments: rows.indices)
  func `a payment in a new process does what the row says`(_ row: Int) async throws {
    let (scenario, scratch) = (Self.rows[row], try Scratch())
    let (folder, file) = (scratch.path("wallet"), scratch.path("device"))
    let options = ["--wallet", folder, "--device", file, "--policy", scenario.policy.rawValue]
    let device = try StoredDevice(path: file)
    try device.apply(scenario.setUp)
    _ = try Self.run("set-up", options + ["--card", Fixtures.url("Cards/visa-two-accounts.json").path, "--uses", "3"])
    try device.apply(scenario.changes)
    let outcome = try Self.run("pay", options)
    let store = try SQLiteWalletStore(directory: folder)
    switch scenario.outcome {
    case .noAction:
      #expect(outcome == "paid 1")
      #expect(try Self.run("pay", options) == "paid 2")
    case .biometricNotEnrolled:
      #expect(outcome == "session: biometricNotEnrolled")
      #expect(try store.cardCount() == 1)
      try device.apply([.enrolBiometric])
      #expect(try Self.run("pay", options) == "paid 1")
    case .authenticationKeyInvalidated:
      #expect(outcome == "configure: authenticationKeyInvalidated")
      #expect(try store.cardCount() == 0)
      #expect(try store.binding() == nil)
      #expect(try device.status().usableKeys + device.status().invalidKeys == 0)
    }
  }

  @Test func `another policy in a new process is refused, and the wallet pays under its own`() throws {
    let scratch = try Scratch()
    let options = ["--wallet", scratch.path("wallet"), "--device", scratch.path("device"), "--policy"]
    try StoredDevice(path: scratch.path("device")).apply([.setPasscode, .enrolBiometric])
    let card = Fixtures.url("Cards/visa-two-accounts.json").path
    _ = try Self.run("set-up", options + ["biometricOnly", "--card", card, "--uses", "3"])
    #expect(try Self.run("pay", options + ["userPresence"]) == "configure: alreadyConfigured biometricOnly")
    #expect(try Self.run("pay", options + ["biometricOnly"]) == "paid 1")
  }
}
