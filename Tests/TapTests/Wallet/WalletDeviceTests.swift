import DeviceAuthentication
import Foundation
import TestSupport
import Testing

/// The device and the policy of a wallet in a folder, over several runs of the program.
@Suite("tap wallet and its device", .blocks, .timeLimit(.minutes(20)))
struct WalletDeviceTests {
  let scratch: Scratch
  let folder: String

  init() throws {
    scratch = try Scratch()
    folder = scratch.path("wallet")
  }

  func add(_ arguments: String...) throws {
    let run = try TapProgram.finish(
      TapProgram.start(
        ["wallet", "add", "--wallet", folder, "--card", TapProgram.card("visa-cvn18"), "--id", "first", "--uses", "9"]
          + arguments))
    try #require(run.code == 0, "\(run.errors)")
  }

  func present(_ arguments: String...) throws -> TapProgram.Run {
    try TapProgram.finish(
      TapProgram.start(["present", "--link", "loopback", "--wallet", folder, "--format", "json"] + arguments))
  }

  func list(_ arguments: String...) throws -> TapProgram.Run {
    try TapProgram.finish(TapProgram.start(["wallet", "list", "--wallet", folder] + arguments))
  }

  func device() throws -> StoredDevice { try StoredDevice(path: folder + "/device") }

  @Test func `the policy of the first run is that of the wallet, and another one is refused`() throws {
    try add("--policy", "userPresence")
    let refused = try present("--policy", "biometricOnly")
    #expect(refused.code == 2)
    #expect(refused.errors.contains("the wallet is configured for userPresence: reset it first"), "\(refused.errors)")
    try device().apply(.removeAllBiometrics)
    #expect(try present().json()["transactionCounter"] as? Int == 1)
    #expect(try present("--policy", "userPresence").json()["transactionCounter"] as? Int == 2)
  }

  @Test func `a lock that was removed between two runs wipes the wallet, and the event names the reason`() throws {
    try add()
    try device().apply([.disableLockScreen, .setPasscode, .enrolBiometric])
    let run = try present()
    #expect(run.code == 2)
    #expect(try run.json()["event"] as? String == "errorEncountered")
    #expect(try run.errorCode() == "authenticationKeyInvalidated")
    let wiped = try list()
    #expect(wiped.code == 2 && wiped.output.isEmpty && wiped.errors.contains("--policy"), "\(wiped.errors)")
    try add("--policy", "biometricOnly")
    // The test issuer grants no counter twice: the card before had nine.
    #expect(try present().json()["transactionCounter"] as? Int == 10)
  }

  @Test func `removed biometrics are named, and the cards stay`() throws {
    try add()
    try device().apply(.removeAllBiometrics)
    let run = try present()
    #expect(run.code == 2)
    #expect(try run.errorCode() == "biometricNotEnrolled")
    #expect(try list().output.contains("payments left: 9"))
  }

  @Test func `another device and a missing device are refused, and the wallet is not changed`() throws {
    try add()
    let before = try Data(contentsOf: URL(filePath: folder + "/wallet.sqlite"))
    let other = scratch.path("other")
    try StoredDevice(path: other).apply([.setPasscode, .enrolBiometric])
    for run in [try list("--device", other), try present("--device", other)] {
      #expect(run.code == 1)
      #expect(run.errors.contains("another device created this key"), "\(run.errors)")
    }
    let nowhere = scratch.path("nowhere")
    for run in [try list("--device", nowhere), try present("--device", nowhere)] {
      #expect(run.code == 1)
      #expect(run.errors.contains("\(nowhere): there is no device"), "\(run.errors)")
      #expect(!FileManager.default.fileExists(atPath: nowhere))
    }
    #expect(try Data(contentsOf: URL(filePath: folder + "/wallet.sqlite")) == before)
    #expect(try present().json()["transactionCounter"] as? Int == 1)
  }

  @Test func `an older copy of the wallet is refused`() throws {
    try add()
    let file = URL(filePath: folder + "/wallet.sqlite")
    let older = try Data(contentsOf: file)
    #expect(try present().code == 0)
    try older.write(to: file)
    for run in [try list(), try present()] {
      #expect(run.code == 2)
      // The end of a payment is a line of its report, that of a list an error.
      #expect((run.output + run.errors).contains("restored from an older copy"), "\(run.output)\(run.errors)")
    }
    #expect(try TapProgram.run("wallet", "reset", "--wallet", folder).output == "cards removed: 1\n")
    #expect(try device().status().usableKeys == 0)
  }
}
