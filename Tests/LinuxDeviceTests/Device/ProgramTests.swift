import DeviceAuthentication
import DeviceLink
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("The program tap-device", .timeLimit(.minutes(60)), .blocks)
struct ProgramTests {
  @Test(arguments: [SIGTERM, SIGINT]) func `a signal ends the program and removes its socket`(_ signal: Int32) throws {
    let program = try DeviceProgram()
    #expect(access(program.socket, F_OK) == 0)
    #expect(program.end(signal) == .exited(0))
    #expect(access(program.socket, F_OK) != 0)
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `a signal ends the program while its prompt waits for a stopped terminal`(_ signal: Int32) async throws {
    let program = try DeviceProgram()
    try program.machine.setPassword("secret")
    let terminal = try program.terminal.opened()
    defer { close(terminal) }
    #expect(tcflow(terminal, TCOOFF) == 0)
    let ports = program.ports
    let task = Task { try await ports.passcode.verify(prompt: "p") }
    // The request has arrived, and the prompt has changed the terminal or waits for it.
    await until { program.terminalCount > 0 }
    #expect(program.end(signal) == .exited(0))
    _ = await task.result
    #expect(program.terminal.echoes)
  }

  @Test func `a TPM that hangs ends each use after 5 s, and a signal ends the program`() async throws {
    let program = try DeviceProgram()
    try program.machine.setPassword("secret")
    let key = try await program.ports.keys.create(.sealing)
    program.tpm.stop()
    let error = await thrown { () throws(DeviceAuthenticationError) in try await program.ports.keys.access(key) }
    #expect("\(error, default: "")".contains("has not answered within 5 s"))
    #expect(program.end(SIGTERM) == .exited(0))
    program.tpm.resume()
    try program.start()
    #expect(try await program.ports.keys.access(key) == .usable)
  }

  @Test func `a program that was killed in the middle of a verification is an error, and the next one works`()
    async throws
  {
    let program = try DeviceProgram()
    try program.machine.setPassword("secret")
    let person = Typist(program.terminal, [nil])
    let task = Task { try await program.ports.passcode.verify(prompt: "p") }
    while !person.output.contains("Password: ") { try await Task.sleep(for: .milliseconds(1)) }
    #expect(program.end(SIGKILL) == .killed(signal: SIGKILL))
    await #expect(
      throws: DeviceAuthenticationError.unavailable(reason: "tap-device ended before it answered: start it again")
    ) { try await task.value }
    person.stop()
    #expect(program.terminal.echoes)
    try program.start()
    #expect(try await program.verify(typing: "secret\n") == .matched)
  }

  @Test func `a second program at the same socket ends with an error`() throws {
    let program = try DeviceProgram()
    let second = try program.machine.start(DeviceProgram.path, program.arguments)
    #expect(try second.finish() == .exited(1))
    #expect(second.errors.contains("another tap-device serves \(program.socket)"))
  }

  @Test func `an unknown user is an error`() throws {
    let machine = try PrivateMachine()
    let run = try machine.start(DeviceProgram.path, ["serve", "--user", "nemo", "--socket", machine.scratch.path("s")])
    #expect(try run.finish() == .exited(1))
    #expect(run.errors.contains("this machine has no user nemo"))
  }

  @Test func `a TPM that does not answer is reported at the start and fails every use of a key`() async throws {
    let program = try DeviceProgram()
    try program.machine.setPassword("secret")
    let key = try await program.ports.keys.create(.sealing)
    program.tpm.kill()
    try program.machine.removePassword()
    await #expect(throws: DeviceAuthenticationError.self) { try await program.ports.keys.access(key) }
    await #expect(throws: DeviceAuthenticationError.self) { try await program.ports.lock.isSet() }
    try program.restart()
    try program.tpm.restart()
    guard case .invalidated(.lockRemoved) = try await program.ports.keys.access(key) else {
      Issue.record("the removal was not counted")
      return
    }
  }

  @Test(
    arguments: [
      ([], [:], false), (["--verbose"], [:], true), ([], ["TSS2_LOG": "all+error"], true),
      (["--verbose"], ["TSS2_LOG": "all+none"], false),
    ] as [([String], [String: String], Bool)])
  func `the TPM library prints its log only with --verbose or TSS2_LOG`(
    _ arguments: [String], _ environment: [String: String], _ isPrinted: Bool
  ) async throws {
    let program = try DeviceProgram(environment: environment, further: arguments)
    try program.machine.setPassword("secret")
    program.tpm.kill()
    await #expect(throws: DeviceAuthenticationError.self) { try await program.ports.keys.create(.sealing) }
    let lines = program.errors.split(separator: "\n")
    #expect(lines.contains { $0.contains(":tcti:") } == isPrinted, "\(program.errors)")
    #expect(lines.allSatisfy { $0.hasPrefix("tap-device") } == !isPrinted, "\(program.errors)")
  }

  @Test(.enabled(if: geteuid() == 0, "only root reads the memory of tap-device"))
  func `the program keeps no copy of a data key, neither after its creation nor after an unseal`() async throws {
    let program = try DeviceProgram()
    try program.machine.setPassword("secret")
    let keys = program.ports.keys
    let key = try await keys.create(.sealing, counting: true)
    for _ in 0..<3 {
      let octets = try await keys.octets(of: key)
      // The thread of the connection ends after its answer.
      await until { (try? program.places(of: octets)) == 0 }
    }
  }

  // MARK: Removals while no program runs

  @Test func `a removal between two runs invalidates the keys`() async throws {
    let program = try DeviceProgram()
    try program.machine.setPassword("secret")
    let key = try await program.ports.keys.create(.sealing)
    #expect(try await program.ports.keys.access(key) == .usable)
    program.end(SIGTERM)
    try program.machine.removePassword()
    try program.machine.setPassword("secret")
    try program.start()
    guard case .invalidated(.lockRemoved) = try await program.ports.keys.access(key) else {
      Issue.record("the removal was not noticed")
      return
    }
  }

  @Test func `a change between two runs keeps the keys when the hook is installed`() async throws {
    let program = try DeviceProgram()
    try program.machine.installHook(program: DeviceProgram.path, state: program.state)
    try program.machine.setPassword("secret")
    let key = try await program.ports.keys.create(.sealing)
    program.end(SIGTERM)
    try program.machine.setPassword("second")
    try program.machine.setPassword("third")
    try program.start()
    #expect(try await program.ports.keys.access(key) == .usable)
    program.end(SIGTERM)
    try program.machine.removePassword()
    try program.machine.setPassword("third")
    try program.start()
    guard case .invalidated(.lockRemoved) = try await program.ports.keys.access(key) else {
      Issue.record("the removal was not noticed")
      return
    }
  }

  /// A program with the hook and a key that works, which has ended.
  private func stopped(isOld: Bool = false) async throws -> (DeviceProgram, KeyIdentifier) {
    let program = try DeviceProgram()
    try program.machine.installHook(program: DeviceProgram.path, state: program.state, isOld: isOld)
    try program.machine.setPassword("secret")
    let key = try await program.ports.keys.create(.sealing)
    program.end(SIGTERM)
    return (program, key)
  }

  private func isLost(_ key: KeyIdentifier, of program: DeviceProgram) async throws -> Bool {
    guard case .invalidated(.lockRemoved) = try await program.ports.keys.access(key) else { return false }
    return true
  }

  @Test func `a hash that was replaced while the machine was off is a removal, also after an aborted passwd`()
    async throws
  {
    let (program, key) = try await stopped()
    try program.machine.abortChange()
    try program.machine.replaceHash("thief")
    try program.start()
    #expect(try await isLost(key, of: program))
  }

  @Test func `a hash that was replaced between two changes, and before one, is a removal`() async throws {
    for changesBefore in [true, false] {
      let (program, key) = try await stopped()
      if changesBefore { try program.machine.setPassword("second") }
      try program.machine.replaceHash("thief")
      try program.machine.setPassword("third")
      try program.start()
      #expect(try await isLost(key, of: program))
    }
  }

  @Test func `changes after aborted ones keep the keys, with and without a running program`() async throws {
    let (program, key) = try await stopped()
    for isRunning in [false, true, false] {
      if isRunning { try program.start() }
      for password in ["second", "third"] {
        try program.machine.abortChange()
        try program.machine.setPassword(password)
        try program.machine.abortChange()
      }
      if !isRunning { try program.start() }
      #expect(try await program.ports.keys.access(key) == .usable)
      program.end(SIGTERM)
    }
  }

  @Test func `two changes by one program at once keep the keys while the program runs`() async throws {
    let (program, key) = try await stopped()
    try program.start()
    for _ in 0..<5 {
      try program.machine.shell("printf '%s:second\n%s:third\n' \"$1\" \"$1\" | chpasswd")
      #expect(try await program.ports.keys.access(key) == .usable)
    }
  }

  @Test func `with the hook before pam_unix alone, a change between two runs is a removal`() async throws {
    let (program, key) = try await stopped(isOld: true)
    try program.machine.setPassword("second")
    try program.start()
    #expect(try await isLost(key, of: program))
  }

  @Test func `a change of which the program was killed before the hook ran again is a removal`() async throws {
    let (program, key) = try await stopped(isOld: true)
    try program.machine.setPassword("second")
    // The record has the announcement, and the next program completes its own change only.
    try program.machine.shell(
      "sed -i '/^# end/a password optional pam_exec.so seteuid quiet \(DeviceProgram.path) password-hook --state \(program.state) --after' /etc/pam.d/common-password"
    )
    try program.machine.setPassword("third")
    try program.start()
    #expect(try await isLost(key, of: program))
  }

  @Test func `a program that was killed after a removal counts it at its next start`() async throws {
    let program = try DeviceProgram()
    try program.machine.setPassword("secret")
    let key = try await program.ports.keys.create(.sealing)
    program.kill()
    try program.machine.removePassword()
    try program.machine.setPassword("secret")
    for _ in 0..<2 {
      try program.start()
      let access = try await program.ports.keys.access(key)
      guard case .invalidated(.lockRemoved) = access else {
        Issue.record("\(access)")
        return
      }
      program.kill()
    }
  }
}
