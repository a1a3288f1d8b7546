import DeviceAuthentication
import Foundation
import Glibc
import ProcessGuard
import TestSupport
import Testing

@testable import DeviceLink

/// The checks of a process in /proc.
struct IntegrityTests {
  private let maps = """
    55d0c0000000-55d0c0001000 r-xp 00000000 08:01 1 /srv/app/tap
    7f0000000000-7f0000001000 r-xp 00000000 08:01 2 /usr/lib/x86_64-linux-gnu/libc.so.6
    7f0000002000-7f0000003000 rw-p 00000000 00:00 0
    7f0000004000-7f0000005000 rw-p 00000000 00:00 0                          [heap]
    7ffd00000000-7ffd00001000 r-xp 00000000 00:00 0                          [vdso]

    """

  private func findings(status: String?, environ: String?, maps: String?) throws -> [IntegrityFinding] {
    let scratch = try Scratch()
    for (name, text) in [("status", status), ("environ", environ), ("maps", maps)] {
      if let text { _ = try scratch.write(name, text) }
    }
    try FileManager.default.createSymbolicLink(atPath: scratch.path("exe"), withDestinationPath: "/srv/app/tap")
    return ProcessIntegrity(process: scratch.directory.path) { $0.hasPrefix("/tmp/") ? .others : .root }.findings()
  }

  private let clean = "Name:\ttap\nTracerPid:\t0\nUid:\t0\n"

  @Test func `a process without a tracer, a preload and foreign memory is clean`() throws {
    #expect(try findings(status: clean, environ: "PATH=/bin\0LD_PRELOAD=\0", maps: maps) == [])
  }

  @Test func `a tracer, a preload and foreign executable memory are found`() throws {
    #expect(
      try findings(
        status: "TracerPid:\t4711\n", environ: "A=1\0LD_PRELOAD=/tmp/evil.so\0",
        maps: maps + """
          7f0000010000-7f0000011000 r-xp 00000000 08:01 3 /tmp/evil.so
          7f0000012000-7f0000013000 rwxp 00000000 00:00 0
          7f0000014000-7f0000015000 r-xp 00000000 00:01 9 /memfd:agent (deleted)
          7f0000016000-7f0000017000 rwxp 00000000 08:01 2 /usr/lib/x86_64-linux-gnu/libm.so.6
          7f0000018000-7f0000019000 r-xp 00000000 08:01 2 /usr/lib/x86_64-linux-gnu/libz.so.1 (deleted)
          """) == [
          .tracer(process: 4711), .preload(library: "/tmp/evil.so"), .writableFile("/tmp/evil.so"),
          .foreignMapping("memory without a file"), .foreignMapping("/memfd:agent (deleted)"),
          .foreignMapping("/usr/lib/x86_64-linux-gnu/libm.so.6"),
          .foreignMapping("/usr/lib/x86_64-linux-gnu/libz.so.1 (deleted)"),
        ])
  }

  @Test(arguments: ["", "TracerPid:", "TracerPid:\tx\n", "\u{0}"])
  func `a status that names no tracer is a finding`(_ status: String) throws {
    guard case .unchecked = try #require(try findings(status: status, environ: "", maps: maps).first) else {
      Issue.record("a status without a tracer passed")
      return
    }
  }

  @Test func `a file that cannot be read is a finding`() throws {
    #expect(try findings(status: nil, environ: nil, maps: nil).count == 3)
  }

  @Test func `this process is clean but for the place of its libraries`() {
    let findings = ProcessIntegrity(process: "/proc/self") { _ in .root }.findings()
    #expect(findings.isEmpty, "\(findings)")
  }

  @Test(arguments: ["LD_AUDIT=/usr/lib/audit.so\0A=1\0", "A=1\0LD_PRELOAD=/usr/lib/audit.so\0"])
  func `a preload and an audit library of the system are found`(_ environment: String) throws {
    #expect(
      try findings(status: clean, environ: environment, maps: maps) == [.preload(library: "/usr/lib/audit.so")])
  }

  @Test(arguments: ["\0\0\0\0", "A=1\0\0\0", "xxxxxxxx\0"])
  func `an environment that was overwritten is found`(_ environment: String) throws {
    #expect(try findings(status: clean, environ: environment, maps: maps) == [.changedEnvironment])
    #expect(try findings(status: clean, environ: "", maps: maps) == [])
  }

  @Test func `in a folder of its owner the program and the Swift runtime are trusted, other libraries are not`() {
    let line = "7f0000000000-7f0000001000 r-xp 00000000 08:01 2 "
    let integrity = ProcessIntegrity(process: "/nowhere") { _ in .owner }
    for (file, isTrusted) in [
      ("/home/me/bin/tap", true), ("/home/me/bin/libswiftCore.so", true), ("/home/me/bin/libsqlite3.so.0", false),
      ("/home/me/lib/libswiftCore.so", false),
    ] {
      let found = integrity.mappings(in: line + file, program: "/home/me/bin/tap")
      #expect(found == (isTrusted ? [] : [.foreignMapping(file)]))
    }
  }

  @Test
  func `in a folder that further users can write, a program without a seal and its runtime are trusted by default`() {
    let line = "7f0000000000-7f0000001000 r-xp 00000000 08:01 2 "
    for (file, isTrusted) in [
      ("/home/me/bin/tap", true), ("/home/me/bin/libswiftCore.so", true), ("/home/me/bin/libsqlite3.so.0", false),
    ] {
      let integrity = ProcessIntegrity(process: "/nowhere") { _ in .others }
      let found = integrity.mappings(in: line + file, program: "/home/me/bin/tap")
      #expect(found == (isTrusted ? [] : [.writableFile(file)]))
      let strict = ProcessIntegrity(process: "/nowhere", refusesOwnerFolder: true) { _ in .others }
      #expect(strict.mappings(in: line + file, program: "/home/me/bin/tap") == [.writableFile(file)])
    }
  }

  @Test func `a trusted library that is replaced stays trusted, another deleted file does not`() {
    let integrity = ProcessIntegrity(process: "/nowhere") { _ in .root }
    let line = "7f0000000000-7f0000001000 r-xp 00000000 08:01 "
    func found(_ file: String) -> [IntegrityFinding] {
      integrity.mappings(in: line + file, program: "/usr/bin/tap", records: true)
    }
    let replaced = "2 /usr/lib/libz.so.1 (deleted)"
    #expect(found(replaced) == [.foreignMapping("/usr/lib/libz.so.1 (deleted)")])
    #expect(found("2 /usr/lib/libz.so.1") == [])
    #expect(found("3 /usr/lib/libz.so.1 (deleted)") == [.foreignMapping("/usr/lib/libz.so.1 (deleted)")])
    #expect(found("2 /usr/lib/libz.so.1") == [])
    for _ in 1...2 { #expect(found(replaced) == []) }
    // The library was unloaded: its inode may be used again.
    #expect(found("4 /usr/lib/libm.so.6") == [])
    #expect(found(replaced) == [.foreignMapping("/usr/lib/libz.so.1 (deleted)")])
  }

  @Test(arguments: [TamperingReaction.silence, .crash])
  func `checks that cannot run refuse, and do not end the program`(_ reaction: TamperingReaction) {
    let found = ProcessIntegrity(process: "/nowhere", reaction: reaction).findings()
    #expect(found.count == 3 && found.allSatisfy(\.isTransient), "\(found)")
  }

  @Test func `threads of GLib are a finding beside those of an instrumentation tool only`() {
    #expect(IntegrityCheck.instrumentation(["tap-device", "gmain", "gdbus"]) == [])
    #expect(
      IntegrityCheck.instrumentation(["gmain", "gum-js-loop"]) == [
        .instrumentation(thread: "gum-js-loop"), .instrumentation(thread: "gmain"),
      ])
  }

  @Test func `root and the owner of a folder are told from further users that can write a file`() throws {
    #expect(FileWriters(of: "/usr/bin/env") == .root)
    #expect(FileWriters(of: "/nowhere/x") == .others)
    try #require(getuid() == 0, "only root can give files away: run the tests as root")
    let scratch = try Scratch()
    let file = try scratch.write("program", "")
    for path in [scratch.directory.path, file] { chown(path, 4242, 4242) }
    chmod(scratch.directory.path, 0o755)
    chmod(file, 0o755)
    #expect(FileWriters(of: file) == .owner)
    chmod(scratch.directory.path, 0o775)
    #expect(FileWriters(of: file) == .others)
    chmod(scratch.directory.path, 0o755)
    chmod(file, 0o757)
    #expect(FileWriters(of: file) == .others)
    chmod(file, 0o755)
    chown(file, 4343, 4343)
    #expect(FileWriters(of: file) == .others)
  }
}
