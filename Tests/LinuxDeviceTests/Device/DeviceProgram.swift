import DeviceAuthentication
import DeviceLink
import Foundation
import Glibc
import LinuxDevice
import Octets
import Synchronization
import TestSupport
import Testing

/// `tap-device` in a machine of its own, with a TPM of swtpm, and a client on a terminal of its own.
final class DeviceProgram: @unchecked Sendable {
  // @unchecked: only the task of one test changes the TPM.
  /// The folder of this test program and of the programs that are built with it.
  static let folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  static let path = folder.appending(path: "tap-device").path

  let machine: PrivateMachine
  var tpm: SoftwareTPM
  let terminal: PseudoTerminal
  private let environment: [String: String]
  private let further: [String]
  private let run: Mutex<ProgramRun?>

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - environment: Such as the address of the bus of fprintd.
  ///   - further: Arguments after those of every test.
  init(environment: [String: String] = [:], further: [String] = []) throws {
    machine = try PrivateMachine()
    tpm = try SoftwareTPM()
    terminal = try PseudoTerminal()
    self.environment = environment
    self.further = further
    run = Mutex(nil)
    // Without the delay after a wrong passcode.
    try machine.writeService("auth required pam_unix.so nodelay\naccount required pam_unix.so\n")
    try start()
  }

  deinit { kill() }

  /// The standard error of the present run.
  var errors: String { run.withLock { $0?.errors ?? "" } }
  /// How many terminals the present run holds: one for each open prompt, and one for its copy.
  var terminalCount: Int {
    guard let number = run.withLock({ $0?.identifier }) else { return 0 }
    let folder = "/proc/\(number)/fd"
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).count {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == terminal.path
    }
  }
  var state: String { machine.scratch.path("state") }
  var socket: String { machine.scratch.path("s") }
  var client: DeviceLinkClient { DeviceLinkClient(socket: socket, terminal: terminal.path) }
  var ports: DevicePorts { client.ports }

  var arguments: [String] {
    [
      "serve", "--user", PrivateMachine.user, "--socket", socket, "--state", state, "--tcti", tpm.transport,
    ] + further
  }

  /// Starts the program and waits until it serves.
  func start() throws {
    let program = try machine.start(Self.path, arguments, environment: environment)
    guard program.wait(timeout: .seconds(3600), until: { $0.errors.contains("serves") }) else {
      throw MissingComponent(description: "tap-device does not start: \(program.errors)")
    }
    run.withLock { $0 = program }
  }

  /// Ends the program with a signal and waits for its end.
  @discardableResult
  func end(_ signal: Int32) -> ProgramRun.Ending? {
    run.withLock { run in
      run?.signal(signal)
      defer { run = nil }
      return run?.wait(timeout: .seconds(3600))
    }
  }

  func kill() { end(SIGKILL) }

  /// Sends a signal that does not end the program.
  func signal(_ signal: Int32) { run.withLock { $0?.signal(signal) } }

  /// The number of places in the memory of the program that hold these bytes.
  func places(of octets: [UInt8]) throws -> Int {
    let number = try #require(run.withLock { $0?.identifier })
    let script = """
      import re, sys
      needle, count = bytes.fromhex(sys.argv[2]), 0
      for line in open(f"/proc/{sys.argv[1]}/maps"):
        first, last, rights = re.match("([0-9a-f]+)-([0-9a-f]+) (...)", line).groups()
        if "w" not in rights: continue
        with open(f"/proc/{sys.argv[1]}/mem", "rb", 0) as memory:
          memory.seek(int(first, 16))
          try: count += memory.read(int(last, 16) - int(first, 16)).count(needle)
          except OSError: pass
      print(count)
      """
    let search = try ProgramRun("/usr/bin/python3", ["-c", script, "\(number)", octets.hex])
    #expect(try search.finish() == .exited(0), "\(search.errors)")
    return try #require(Int(search.output.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  /// Ends the program as a service manager does, and starts it again.
  func restart() throws {
    end(SIGTERM)
    try start()
  }

  /// Verifies the passcode with a person who types a text at the prompt. Nil types nothing.
  func verify(typing text: String?) async throws -> PasscodeResult {
    let person = Typist(terminal, [text])
    defer { person.stop() }
    return try await ports.passcode.verify(prompt: "Pay 12.34 EUR")
  }
}

/// A person who types a text at each passcode prompt; nil types nothing.
final class Typist: Sendable {
  private let isStopped = Atomic(false)
  private let ended = DispatchSemaphore(value: 0)
  private let shown = Mutex("")

  /// All that the terminal has shown.
  var output: String { shown.withLock { $0 } }

  /// - Parameter texts: A text for each prompt; the last one repeats.
  convenience init(_ terminal: PseudoTerminal, _ texts: [String?]) {
    let rest = Mutex(texts[...])
    self.init(terminal) { rest.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? nil } }
  }

  init(_ terminal: PseudoTerminal, answer: @escaping @Sendable () -> String?) {
    Thread.detachNewThread { [self] in
      var pending = ""
      while !isStopped.load(ordering: .acquiring) {
        let more = terminal.output()
        shown.withLock { $0 += more }
        pending += more
        if let prompt = pending.range(of: "Password: ") {
          pending.removeSubrange(..<prompt.upperBound)
          if let text = answer() { terminal.type(text) }
        }
        usleep(1000)
      }
      let rest = terminal.output()
      shown.withLock { $0 += rest }
      ended.signal()
    }
  }

  /// Ends the person. Blocks until it has ended.
  func stop() {
    isStopped.store(true, ordering: .releasing)
    ended.wait()
  }
}
