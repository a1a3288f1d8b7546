import Foundation
import Glibc
import TestSupport
import Testing

@Suite("tap device simulate", .blocks, .timeLimit(.minutes(20)))
struct DeviceCommandTests {
  let scratch: Scratch
  let file: String

  init() throws {
    scratch = try Scratch()
    file = scratch.path("phone")
  }

  private func simulate(_ arguments: String...) throws -> TapProgram.Run {
    try TapProgram.finish(TapProgram.start(["device", "simulate", "--device", file, "--format", "json"] + arguments))
  }

  @Test func `a device is created, changed and shown by processes of their own`() throws {
    #expect(try simulate().json()["isPasscodeSet"] as? Bool == false)
    let set = try simulate("--passcode", "on", "--biometric", "enrol").json()
    #expect(set["isPasscodeSet"] as? Bool == true && set["enrolments"] as? Int == 1)
    #expect(try simulate("--biometric", "enrol").json()["enrolments"] as? Int == 2)
    #expect(try simulate("--passcode", "change").json()["lockEpoch"] as? Int == 0)
    #expect(try simulate("--biometric", "remove-all").json()["enrolments"] as? Int == 0)
    #expect(try simulate("--passcode", "off").json()["lockEpoch"] as? Int == 1)
    #expect(try simulate("--advance", "60").json()["passcodeLocked_ns"] as? Int == 0)
    let text = try TapProgram.run("device", "simulate", "--device", file)
    #expect(text.output == "\(file): passcode off, fingers 0, keys 0\n")
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func `a change that the device does not offer ends with 1, names the file and changes nothing`() throws {
    _ = try simulate()
    let before = try Data(contentsOf: URL(filePath: file))
    for arguments in [
      ["--passcode", "change"], ["--biometric", "enrol"], ["--passcode", "off", "--biometric", "enrol"],
    ] {
      let run = try TapProgram.finish(TapProgram.start(["device", "simulate", "--device", file] + arguments))
      #expect(run.code == 2 && run.output.isEmpty)
      #expect(run.errors == "error: \(file): the device has no passcode; set one first\n")
      #expect(try Data(contentsOf: URL(filePath: file)) == before)
    }
  }

  @Test func `a damaged file ends with 1 and stays as it is`() throws {
    for content in ["", "garbage", #"{"version": 2}"#, #"{"version": 1}"#] {
      try Data(content.utf8).write(to: URL(filePath: file))
      let run = try simulate("--passcode", "on")
      #expect(run.code == 2 && run.errors.contains(file), "\(content)")
      #expect(try Data(contentsOf: URL(filePath: file)) == Data(content.utf8))
    }
  }

  @Test(arguments: [
    ["--advance=-1"], ["--advance", "1000000001"], ["--passcode", "maybe"], ["--biometric", "remove"],
    ["--device", ""],
  ])
  func `wrong usage ends with 64`(_ arguments: [String]) throws {
    let run = try TapProgram.finish(TapProgram.start(["device", "simulate", "--device", file] + arguments))
    #expect(run.code == 64)
    #expect(!FileManager.default.fileExists(atPath: file))
  }
}

@Suite("The integrity check of tap, by a user without privileges", .blocks, .timeLimit(.minutes(20)))
struct DeviceIntegrityTests {
  /// Runs `tap device check` in a folder of an unprivileged user, and returns the line of the integrity check.
  private func check(
    _ environment: [String: String] = [:], _ further: [String] = [], _ prepare: (Scratch) throws -> Void = { _ in }
  ) throws -> [String: Any] {
    try #require(getuid() == 0, "only root can become another user: run the tests as root")
    let scratch = try Scratch()
    try TapProgram.copy("tap", to: scratch)
    try prepare(scratch)
    let owning = try ProgramRun("chown", ["-R", "4242:4242", scratch.directory.path])
    #expect(try owning.finish() == .exited(0), "\(owning.errors)")
    // The variables are set behind setpriv, which they would change too.
    let run = try ProgramRun(
      "setpriv",
      ["--reuid", "4242", "--regid", "4242", "--clear-groups", "env"] + environment.map { "\($0)=\($1)" } + [
        scratch.path("tap"), "device", "check", "--format", "json", "--socket", scratch.path("none"),
      ] + further)
    #expect(try run.finish(timeout: .seconds(300)) == .exited(2), "\(run.errors)")
    let lines = try run.output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    return try #require(lines.first { $0["subject"] as? String == "integrity" }, "\(run.output)")
  }

  private static let library = "/usr/lib/x86_64-linux-gnu/libsqlite3.so.0"

  @Test func `a program in a folder of its owner works, and the folder is reported`() throws {
    let line = try check()
    #expect(line["verdict"] as? String == "works")
    #expect("\(line["detail"] ?? "")".contains("its owner can change it in"), "\(line)")
  }

  @Test func `a program in a folder of its owner is refused on request`() throws {
    let line = try check([:], ["--refuse-owner-folder"])
    #expect(line["verdict"] as? String == "broken")
    #expect("\(line["remedy"] ?? "")".contains("install it where only root can write"), "\(line)")
  }

  @Test func `--refuse-owner-folder needs the device of this machine`() throws {
    let simulated = try TapProgram.run("present", "--link", "loopback", "--wallet", "w", "--refuse-owner-folder")
    #expect(simulated.code == 64 && simulated.errors.contains("--device linux"), "\(simulated.errors)")
  }

  @Test func `a library beside the program is found`() throws {
    let line = try check { scratch in
      let copying = try ProgramRun("cp", ["-L", Self.library, scratch.path("libsqlite3.so.0")])
      #expect(try copying.finish() == .exited(0), "\(copying.errors)")
    }
    #expect(line["verdict"] as? String == "broken")
    #expect("\(line["remedy"] ?? "")".contains("libsqlite3.so.0"), "\(line)")
  }

  @Test(arguments: ["LD_AUDIT", "LD_PRELOAD"]) func `a preloaded library of the system is found`(_ name: String) throws
  {
    let line = try check([name: Self.library])
    #expect(line["verdict"] as? String == "broken")
    #expect("\(line["remedy"] ?? "")".contains("the library \(Self.library) was preloaded"), "\(line)")
  }

  @Test func `a preloaded library that wipes the environment is found`() throws {
    let wiping = try Scratch()
    chmod(wiping.directory.path, 0o755)
    let source = try wiping.write(
      "wipe.c",
      """
      #include <string.h>
      extern char **environ;
      __attribute__((constructor)) static void wipe(void) {
        for (char **next = environ; *next; next++) memset(*next, 0, strlen(*next));
      }
      """)
    let compiling = try ProgramRun("clang", ["-shared", "-fPIC", "-o", wiping.path("wipe.so"), source])
    #expect(try compiling.finish() == .exited(0), "\(compiling.errors)")
    chmod(wiping.path("wipe.so"), 0o755)
    let wiped = try check(["LD_PRELOAD": wiping.path("wipe.so")])
    #expect(wiped["verdict"] as? String == "broken")
    #expect("\(wiped["remedy"] ?? "")".contains("the environment of this program was overwritten"), "\(wiped)")
  }
}
