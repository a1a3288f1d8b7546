import DeviceAuthentication
import Foundation
import TestSupport
import Testing

@Suite("The changes of the unlock method, typed as commands", .blocks, .timeLimit(.minutes(30)))
struct DeviceScenarioTests {
  let scratch: Scratch
  let phone: String
  let folder: String

  init() throws {
    scratch = try Scratch()
    phone = scratch.path("phone")
    folder = scratch.path("wallet")
  }

  private func tap(_ arguments: String...) throws -> TapProgram.Run {
    try TapProgram.finish(TapProgram.start(arguments))
  }

  private func change(_ change: DeviceChange) throws {
    let arguments: [String] =
      switch change {
      case .setPasscode: ["--passcode", "on"]
      case .changePasscode: ["--passcode", "change"]
      case .disableLockScreen: ["--passcode", "off"]
      case .enrolBiometric: ["--biometric", "enrol"]
      case .removeAllBiometrics: ["--biometric", "remove-all"]
      }
    let run = try TapProgram.finish(TapProgram.start(["device", "simulate", "--device", phone] + arguments))
    try #require(run.code == 0, "\(run.errors)")
  }

  private func add(_ policy: String) throws -> TapProgram.Run {
    try tap(
      "wallet", "add", "--wallet", folder, "--device", phone, "--card", TapProgram.card("visa-cvn18"), "--policy",
      policy)
  }

  private func present(_ further: String...) throws -> TapProgram.Run {
    try TapProgram.finish(
      TapProgram.start(
        ["present", "--wallet", folder, "--device", phone, "--link", "loopback", "--format", "json"] + further))
  }

  private func cards() throws -> Int {
    let run = try tap("wallet", "list", "--wallet", folder, "--device", phone)
    try #require(run.code == 0, "\(run.errors)")
    return run.output.split(separator: "\n").count
  }

  @Test(arguments: DeviceScenario.table)
  func `each published row has its outcome, with a process for every step`(_ row: DeviceScenario) throws {
    for change in row.setUp { try self.change(change) }
    let added = try add(row.policy.rawValue)
    try #require(added.code == 0, "\(added.errors)")
    for change in row.changes { try self.change(change) }
    let run = try present()
    switch row.outcome {
    case .noAction:
      #expect(run.code == 0, "\(run.errors)")
      #expect(try run.json()["event"] as? String == "transactionCompleted")
      #expect(try cards() == 1)
    case .biometricNotEnrolled:
      #expect(run.code == 2, "\(run.errors)")
      #expect(try run.errorCode() == "biometricNotEnrolled")
      #expect(try cards() == 1, "cards and keys stay")
      try change(.enrolBiometric)
      #expect(try present().code == 0, "the old key works with a new finger")
    case .authenticationKeyInvalidated:
      #expect(run.code == 2, "\(run.errors)")
      #expect(try run.errorCode() == "authenticationKeyInvalidated")
      let list = try tap("wallet", "list", "--wallet", folder, "--device", phone)
      #expect(list.code == 2 && list.output.isEmpty, "a lost lock removes all cards")
    }
  }

  @Test func `a restored older copy of a wallet is refused with storeRolledBack, and the newest copy pays`() throws {
    for change in [DeviceChange.setPasscode, .enrolBiometric] { try self.change(change) }
    #expect(try add("biometricOnly").code == 0)
    let (older, newest) = (scratch.path("older"), scratch.path("newest"))
    try FileManager.default.copyItem(atPath: folder, toPath: older)
    #expect(try present().code == 0)
    try FileManager.default.moveItem(atPath: folder, toPath: newest)
    try FileManager.default.moveItem(atPath: older, toPath: folder)
    let refused = try present()
    #expect(refused.code == 2)
    let line = try refused.json()
    #expect(line["event"] as? String == "errorEncountered")
    #expect(try refused.errorCode() == "storeRolledBack")
    #expect((line["message"] as? String)?.contains("restored from an older copy") == true)
    try FileManager.default.removeItem(atPath: folder)
    try FileManager.default.moveItem(atPath: newest, toPath: folder)
    #expect(try present().code == 0)
  }

  @Test func `five wrong passcodes lock it for a time that the device's clock ends`() throws {
    try change(.setPasscode)
    #expect(try add("userPresence").code == 0)
    // A verification ends after 3 wrong entries.
    for expected in ["authenticationFailed", "lockedOut"] {
      let failed = try present("--user", "fail")
      #expect(failed.code == 2)
      #expect(try failed.errorCode() == expected)
    }
    // The passcode is locked, also for the right entry.
    let locked = try present()
    #expect(locked.code == 2)
    #expect(try locked.errorCode() == "lockedOut")
    let message = try locked.json()["message"] as? String
    #expect(message?.contains("the passcode is locked; wait until the device unlocks it") == true, "\(message ?? "")")
    let state = try tap("device", "simulate", "--device", phone, "--advance", "60")
    #expect(state.code == 0 && !state.output.contains("locked"), "\(state.output)")
    #expect(try present().code == 0)
  }
}
