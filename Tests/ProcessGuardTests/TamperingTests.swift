import Foundation
import Glibc
import TestSupport
import Testing

/// The programs that check themselves, while they are tampered with.
@Suite("The reaction of a program to tampering", .blocks, .timeLimit(.minutes(60)))
struct TamperingTests {
  /// A program whose start, or whose first use of a key, is checked.
  struct Checked: CustomTestStringConvertible, Sendable {
    let name: String
    let arguments: [String]
    /// The exit code with the reaction `error`.
    let code: Int32
    var testDescription: String { name }
  }

  static let server = [
    "--listen", "127.0.0.1:0", "--database", "memory", "--self-signed", "DIR/identity", "--log-format", "text",
  ]
  static let device = ["serve", "--user", "root", "--socket", "DIR/socket", "--state", "DIR/state"]
  static let programs = [
    Checked(name: "tap", arguments: ["device", "check", "--socket", "DIR/none"], code: 2),
    Checked(name: "tap-server", arguments: server, code: 2),
    Checked(name: "tap-device", arguments: device, code: 1),
    Checked(
      name: "tap-wallet",
      arguments: ["biometric", "status", "--state", "DIR/state", "--server", "https://127.0.0.1:1"], code: 0),
  ]

  /// Starts a program in a folder where a core file may be written.
  private func start(
    _ name: String, _ arguments: [String], in scratch: Scratch, environment: [String: String] = [:]
  ) throws -> ProgramRun {
    let words = arguments.map { $0.replacing("DIR", with: scratch.directory.path) }
    return try ProgramRun(
      "sh",
      ["-c", #"ulimit -c unlimited; cd "$0" && exec env "$@""#, scratch.directory.path]
        + environment.map { "\($0)=\($1)" } + [Exercise.folder.appending(path: name).path] + words)
  }

  @Test(arguments: programs) func `error names the sign, silence and crash print nothing and leave no core file`(
    _ program: Checked
  ) throws {
    let preloaded = ["LD_PRELOAD": "libm.so.6"]
    for (reaction, ending) in [("silence", ProgramRun.Ending.exited(1)), ("crash", .killed(signal: SIGSEGV))] {
      let scratch = try Scratch()
      let run = try start(
        program.name, program.arguments + ["--on-tampering", reaction], in: scratch, environment: preloaded)
      #expect(try run.finish(timeout: .seconds(300)) == ending)
      #expect(run.output.isEmpty && !run.errors.contains("preload") && !run.errors.contains("libm"), "\(run.errors)")
      #expect(!run.errors.contains("error"), "\(run.errors)")
      let files = try FileManager.default.contentsOfDirectory(atPath: scratch.directory.path)
      #expect(!files.contains { $0.hasPrefix("core") }, "\(files)")
    }
    let scratch = try Scratch()
    let run = try start(program.name, program.arguments, in: scratch, environment: preloaded)
    #expect(try run.finish(timeout: .seconds(300)) == .exited(program.code), "\(run.errors)")
    let text = run.output + run.errors
    #expect(text.contains("the library libm.so.6 was preloaded") || text.contains("DeviceProtection"), "\(text)")
  }

  @Test func `a program without the protection leaves a core file where the kernel writes one`() throws {
    let pattern = try String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8)
    guard !pattern.hasPrefix("|"), !pattern.hasPrefix("/") else { return }
    let scratch = try Scratch()
    let run = try ProgramRun(
      "sh", ["-c", #"ulimit -c unlimited; cd "$0" && exec sh -c 'kill -SEGV $$'"#, scratch.directory.path])
    #expect(try run.finish() == .killed(signal: SIGSEGV))
    let files = try FileManager.default.contentsOfDirectory(atPath: scratch.directory.path)
    #expect(files.contains { $0.hasPrefix("core") }, "\(files) \(pattern)")
  }

  /// Changes a byte of the code of a running program, in a function that the program does not call any more.
  private func patch(_ run: ProgramRun, _ name: String) throws {
    let path = Exercise.folder.appending(path: name).path
    let place = try Exercise.symbol("cguard_no_new_code", in: path)
    let address = try Exercise.base(of: path, in: run.identifier) + place
    try Exercise.patchMemory(of: run.identifier, at: address, [0xCC])
  }

  @Test func `a server whose code is changed answers no request, and logs the reason`() throws {
    let scratch = try Scratch()
    let run = try start("tap-server", Self.server + ["--metrics", "127.0.0.1:0"], in: scratch)
    try #require(run.wait(timeout: .seconds(300)) { $0.output.contains("\"url\"") }, "\(run.errors)")
    let line = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    let url = try #require(line["url"] as? String)
    let observed = try #require(line["metrics"] as? String)
    func status(_ url: String) throws -> String {
      try Exercise.output("curl", ["-sk", "-o", "/dev/null", "-w", "%{http_code}", url])
    }
    #expect(try status("\(url)/nothing") == "404")
    #expect(try status("\(observed)/health/ready") == "200")
    #expect(run.errors.contains("this program has no seal"), "\(run.errors)")
    try patch(run, "tap-server")
    // A random moment, at the latest after 0.9 s.
    #expect(run.wait(timeout: .seconds(300)) { $0.errors.contains("in memory was changed") }, "\(run.errors)")
    #expect(try status("\(url)/nothing") == "503")
    #expect(try status("\(observed)/health/ready") == "503")
  }

  @Test func `a device that waits ends by itself when its code is changed`() throws {
    let scratch = try Scratch()
    let run = try start("tap-device", Self.device + ["--on-tampering", "silence"], in: scratch)
    try #require(run.wait(timeout: .seconds(300)) { $0.errors.contains("tap-device serves") }, "\(run.errors)")
    let before = run.errors
    try patch(run, "tap-device")
    #expect(try run.finish(timeout: .seconds(300)) == .exited(1))
    #expect(run.errors == before)
  }

  @Test func `a server refuses the surroundings of its configuration, and an option comes first`() throws {
    let scratch = try Scratch()
    _ = try scratch.write("server.json", #"{"onTampering": "error", "refuse": ["root"]}"#)
    let configured = Self.server + ["--configuration", "DIR/server.json"]
    let refused = try start("tap-server", configured, in: scratch)
    #expect(try refused.finish(timeout: .seconds(300)) == .exited(2))
    #expect(
      refused.errors.contains("the program runs as root, which --refuse, the settings or the configuration refuse"),
      "\(refused.errors)")
    let silent = try start("tap-server", configured + ["--on-tampering", "silence"], in: scratch)
    #expect(try silent.finish(timeout: .seconds(300)) == .exited(1))
    #expect(!silent.errors.contains("root, which"), "\(silent.errors)")
    let lifted = try start("tap-server", configured + ["--refuse", "none"], in: scratch)
    #expect(lifted.wait(timeout: .seconds(300)) { $0.output.contains("\"url\"") }, "\(lifted.errors)")
  }

  @Test func `the check of a configuration reports the gaps of the protection, the seal and the surroundings`() throws {
    try #require(getuid() == 0, "only root has the surroundings of root: run the tests as root")
    let scratch = try Scratch()
    let check = ["configuration", "check", "--self-signed", "DIR/identity", "--format", "text"]
    let run = try start("tap-server", check, in: scratch)
    #expect(try run.finish(timeout: .seconds(300)) == .exited(0), "\(run.errors)")
    let gaps = run.output.split(separator: "\n").filter { $0.contains("this kernel does not prevent") }
    try #require(gaps.isEmpty, "the kernel needs Landlock with the interface 6, Linux 6.12: \(gaps)")
    for line in ["this kernel gives every protection", "this program has no seal", "this program runs as root"] {
      #expect(run.output.contains("protection: \(line)"), "\(run.output)")
    }
    _ = try scratch.write("server.json", #"{"refuse": ["emulator", "container", "root"]}"#)
    let refusing = try start("tap-server", check + ["--configuration", "DIR/server.json"], in: scratch)
    let places = ["runs on a virtual machine", "runs in a container"].filter { run.output.contains("program \($0)") }
    #expect(try refusing.finish(timeout: .seconds(300)) == .exited(places.isEmpty ? 0 : 2), "\(refusing.errors)")
    for place in places { #expect(refusing.errors.contains("protection: this machine \(place)"), "\(refusing.errors)") }
    #expect(refusing.output.contains("the configuration refuses a server that runs as root"), "\(refusing.output)")
  }
}
