import Glibc
import JSON
import TestSupport
import Testing

/// What a folder of tap-wallet stores of `--refuse`.
@Suite("Surroundings that tap-wallet refuses", .blocks, .timeLimit(.minutes(20)))
struct WalletSurroundingsTests {
  @Test(arguments: [("none", "root"), ("root", "none")])
  func `the first --refuse of a folder is stored, and a later one holds for its run only`(
    _ stored: String, _ other: String
  ) throws {
    try #require(getuid() == 0, "only root has the surroundings of root: run the tests as root")
    let scratch = try Scratch()
    // No server listens at this port: a program that is not refused asks the server next.
    func isRefused(_ further: [String]) throws -> Bool {
      let command = ["biometric", "status", "--state", scratch.path("state"), "--server", "https://127.0.0.1:1"]
      let run = try WalletOutput(
        ProgramRun(AccessPrograms.path("tap-wallet"), command + ["--format", "json"] + further))
      let isRefused = run.last["missingCondition"]?.text == "DeviceProtection"
      #expect(isRefused || run.errorCode == "authenticationInvocationDidFail", "\(run.text)")
      return isRefused
    }
    for further in [["--refuse", stored], [], ["--refuse", other], []] {
      let refused = further.isEmpty ? stored : further[1]
      #expect(try isRefused(further) == (refused == "root"), "\(further)")
    }
  }
}
