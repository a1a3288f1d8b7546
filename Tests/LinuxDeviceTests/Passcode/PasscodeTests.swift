import DeviceAuthentication
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("The passcode of a real user, checked by PAM", .timeLimit(.minutes(60)), .blocks)
struct PasscodeTests {
  @Test func `the passcode of the user matches, every other entry does not`() async throws {
    let program = try DeviceProgram()
    try program.machine.setPassword("correct horse")
    #expect(try await program.verify(typing: "correct horse\n") == .matched)
    for wrong in ["wrong\n", "\n", "correct horse2\n", "correct hors\n", String(repeating: "x", count: 3000) + "\n"] {
      #expect(try await program.verify(typing: wrong) == .notMatched, "\(wrong.prefix(20))")
    }
    try program.machine.setPassword("battery")
    #expect(try await program.verify(typing: "correct horse\n") == .notMatched)
    #expect(try await program.verify(typing: "battery\n") == .matched)
  }

  @Test func `the prompt is on the terminal of the client, and the entry is not shown`() async throws {
    let program = try DeviceProgram()
    try program.machine.setPassword("secret")
    let person = Typist(program.terminal, ["secret\n"])
    #expect(try await program.ports.passcode.verify(prompt: "Pay 12.34 EUR") == .matched)
    person.stop()
    #expect(person.output.contains("Pay 12.34 EUR"))
    #expect(!person.output.contains("secret"))
    #expect(program.terminal.echoes)
  }

  @Test func `without a passcode there is no prompt, and no entry matches`() async throws {
    let program = try DeviceProgram()
    try program.machine.writeService(
      "auth required pam_unix.so nodelay nullok\naccount required pam_unix.so\n")
    for _ in 0..<2 {
      await #expect(throws: DeviceAuthenticationError.passcodeNotSet) { try await program.verify(typing: "\n") }
      try program.machine.setPassword("a")
      try program.machine.removePassword()
    }
  }

  @Test func `the end-of-file character cancels the verification`() async throws {
    let program = try DeviceProgram()
    try program.machine.setPassword("secret")
    #expect(try await program.verify(typing: "\u{4}") == .cancelled)
  }

  @Test func `a cancelled task closes the prompt, and the next one works`() async throws {
    let program = try DeviceProgram()
    try program.machine.setPassword("secret")
    let person = Typist(program.terminal, [nil])
    let task = Task { try await program.ports.passcode.verify(prompt: "p") }
    while !person.output.contains("Password: ") { try await Task.sleep(for: .milliseconds(1)) }
    #expect(!program.terminal.echoes)
    task.cancel()
    #expect(try await task.value == .cancelled)
    person.stop()
    #expect(program.terminal.echoes)
    #expect(try await program.verify(typing: "secret\n") == .matched)
  }

  @Test func `a second prompt is busy while the first one is open`() async throws {
    let program = try DeviceProgram()
    try program.machine.setPassword("secret")
    let person = Typist(program.terminal, [nil])
    let task = Task { try await program.ports.passcode.verify(prompt: "p") }
    while !person.output.contains("Password: ") { try await Task.sleep(for: .milliseconds(1)) }
    await #expect(throws: DeviceAuthenticationError.busy("another passcode prompt is open on this device")) {
      try await program.ports.passcode.verify(prompt: "p")
    }
    task.cancel()
    _ = try await task.value
    person.stop()
  }

  @Test func `a stack that refuses before it asks has locked the passcode`() async throws {
    let program = try DeviceProgram()
    try program.machine.setPassword("secret")
    let faillock = "pam_faillock.so dir=\(program.machine.scratch.path("faillock")) deny=2 even_deny_root"
    try program.machine.writeService(
      """
      auth requisite \(faillock) preauth
      auth sufficient pam_unix.so nodelay
      auth [default=die] \(faillock) authfail
      account required pam_unix.so

      """)
    #expect(try await program.verify(typing: "wrong\n") == .notMatched)
    #expect(try await program.verify(typing: "wrong\n") == .notMatched)
    #expect(try await program.verify(typing: "secret\n") == .lockedOut)
  }

  @Test func `a missing or broken service file is an error with the remedy`() async throws {
    let program = try DeviceProgram()
    try program.machine.setPassword("secret")
    try program.machine.writeService("auth required pam_nonexistent.so\n")
    await #expect(throws: DeviceAuthenticationError.self) { try await program.verify(typing: "secret\n") }
    try FileManager.default.removeItem(atPath: program.machine.scratch.path("etc/pam.d/tap-device"))
    await #expect(
      throws: DeviceAuthenticationError.unavailable(
        reason: "/etc/pam.d/tap-device is missing: create it with tap-device pam-service > /etc/pam.d/tap-device")
    ) { try await program.verify(typing: "secret\n") }
  }

  @Test func `the service file of tap-device works`() async throws {
    let program = try DeviceProgram()
    let printed = try program.machine.start(DeviceProgram.path, ["pam-service"])
    #expect(try printed.finish() == .exited(0))
    try program.machine.writeService(printed.output)
    try program.machine.setPassword("secret")
    #expect(try await program.verify(typing: "secret\n") == .matched)
    #expect(!printed.output.contains("nullok"))
  }
}
