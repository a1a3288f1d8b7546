import JSON
import TestSupport
import Testing

/// A device and its issuer agree on what has ended, also when one of them ended it alone.
@Suite(.blocks, .timeLimit(.minutes(20))) struct EndedSessionTests {
  /// Whether the server has a token for the login by biometrics.
  private func hasToken(_ programs: WalletPrograms) throws -> Bool {
    let sql = "SELECT count(biometricToken) FROM walletDevice"
    let script = "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])"
    let run = try ProgramRun("/usr/bin/python3", ["-c", script, programs.scratch.path("server.sqlite"), sql])
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    return run.output == "1\n"
  }

  private func programs() throws -> WalletPrograms {
    let programs = try WalletPrograms()
    try programs.link()
    #expect(try programs.run("biometric", "on", answers: ["pin": ["7413"]]).code == 0)
    #expect(try programs.run("logout").code == 0)
    #expect(try hasToken(programs))
    return programs
  }

  @Test func `biometric login that is removed while logged out ends at the server`() throws {
    let programs = try programs()
    let off = try programs.run("biometric", "off")
    #expect(off.code == 0 && off.last["serverInformed"]?.flag == true, "\(off.text)")
    #expect(try !hasToken(programs))
  }

  @Test func `biometric login that is removed without the server ends there with the next request`() throws {
    let programs = try programs()
    #expect(try programs.endServer() == .exited(0))
    let off = try programs.run("biometric", "off")
    #expect(off.code == 0 && off.last["serverInformed"]?.flag == false, "\(off.text)")
    #expect(try programs.run("status").code == 3)
    #expect(try hasToken(programs))
    try programs.restartServer()
    #expect(try programs.run("status").code == 0)
    #expect(try !hasToken(programs))
    #expect(try programs.run("biometric", "on", answers: ["pin": ["7413"]]).code == 0)
    #expect(try programs.run("status").code == 0)
    #expect(try hasToken(programs))
  }

  @Test(arguments: ["status", "--pin", "--password"])
  func `the session of a device ends there after a recovery on another device`(next: String) throws {
    let programs = try WalletPrograms()
    #expect(try programs.enrol().code == 0)
    let reset = try programs.runElsewhere(
      [
        "forgot", "password", "--account", WalletPrograms.user, "--state", programs.scratch.path("other"), "--server",
        programs.url, "--ca", programs.authority,
      ], ["answer:pet": ["Rex"], "answer:town": ["Bern"], "newPassword": ["Zyxwvuts9"]])
    #expect(reset.code == 0, "\(reset.text)")
    if next == "status" {
      let status = try programs.run("status")
      #expect(status.code == 0 && status.last["loggedIn"]?.flag == false, "\(status.text)")
    }
    let way = next == "status" ? "--pin" : next
    let login = try programs.run("login", way, answers: ["pin": ["7413"], "password": ["Zyxwvuts9"]])
    #expect(login.code == 0, "\(login.text)")
    #expect(try programs.run("status").last["loggedIn"]?.flag == true)
  }
}
