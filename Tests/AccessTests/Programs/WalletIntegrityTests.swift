import Foundation
import Glibc
import JSON
import TestSupport
import Testing

@Suite("The program tap-wallet in a folder that its owner can write", .blocks, .timeLimit(.minutes(20)))
struct WalletIntegrityTests {
  @Test func `it is refused by a wallet that stores --refuse-owner-folder`() throws {
    try #require(getuid() == 0, "only root can become another user: run the tests as root")
    let scratch = try Scratch()
    // Copied by another process: a file that this one has open for writing while it starts programs is busy.
    let copying = try ProgramRun("cp", [AccessPrograms.path("tap-wallet"), scratch.path("tap-wallet")])
    #expect(try copying.finish() == .exited(0), "\(copying.errors)")
    let owning = try ProgramRun("chown", ["-R", "4242:4242", scratch.directory.path])
    #expect(try owning.finish() == .exited(0), "\(owning.errors)")
    func missingCondition(_ further: String...) throws -> WalletOutput {
      // No server listens at this port: a program that is trusted asks the server next.
      let command = [
        scratch.path("tap-wallet"), "biometric", "status", "--state", scratch.path("state"), "--server",
        "https://127.0.0.1:1", "--format", "json",
      ]
      return try WalletOutput(
        ProgramRun("setpriv", ["--reuid", "4242", "--regid", "4242", "--clear-groups"] + command + further))
    }
    #expect(try missingCondition().errorCode == "authenticationInvocationDidFail")
    for further in [["--refuse-owner-folder"], []] {
      let refused = try further.isEmpty ? missingCondition() : missingCondition(further[0])
      #expect(refused.last["missingCondition"]?.text == "DeviceProtection", "\(refused.text)")
    }
  }
}
