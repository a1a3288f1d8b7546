import Foundation
import Glibc
import TestSupport
import Testing

/// Attackers under the user of a program, each also against the program without its protection.
@Suite("The protection of a process", .blocks, .timeLimit(.minutes(20)))
struct PreventionTests {
  private static func exercise(_ isGuarded: Bool, _ further: [String] = []) throws -> Exercise {
    try #require(getuid() == 0, "only root can become another user: run the tests as root")
    return try Exercise((isGuarded ? [] : ["--unguarded"]) + further)
  }

  @Test(arguments: [false, true]) func `gdb of the same user reads the secret of an unguarded program only`(
    _ isGuarded: Bool
  ) throws {
    let exercise = try Self.exercise(isGuarded)
    let gdb = try Exercise.attack([
      "gdb", "-nx", "-batch", "-p", "\(exercise.run.identifier)", "-ex", "x/s \(exercise.address)",
    ])
    #expect(gdb.text.contains(Exercise.secret) != isGuarded, "\(gdb.text)")
    #expect(!isGuarded || gdb.text.contains("Operation not permitted"), "\(gdb.text)")
  }

  @Test(arguments: [false, true]) func `another process of the same user reads the memory of an unguarded program only`(
    _ isGuarded: Bool
  ) throws {
    let exercise = try Self.exercise(isGuarded)
    let reader = try Exercise.attack([
      "dd", "if=/proc/\(exercise.run.identifier)/mem", "bs=16", "count=1", "iflag=skip_bytes",
      "skip=\(exercise.address)",
    ])
    #expect(reader.text.contains(Exercise.secret) != isGuarded, "\(reader.text)")
    #expect(!isGuarded || reader.text.contains("Permission denied"), "\(reader.text)")
  }

  @Test func `another user reads no memory of an unguarded program`() throws {
    let exercise = try Self.exercise(false)
    let reader = try Exercise.attack(as: Exercise.neighbour, ["cat", "/proc/\(exercise.run.identifier)/mem"])
    #expect(reader.text.contains("Permission denied"), "\(reader.text)")
  }

  @Test(arguments: [false, true]) func `memory becomes writable and executable in an unguarded program only`(
    _ isGuarded: Bool
  ) throws {
    #expect(try Self.exercise(isGuarded).order("code") == (isGuarded ? "Permission denied" : "ok"))
  }

  @Test(arguments: [false, true]) func `the text of a crash contains memory of an unguarded program only`(
    _ isGuarded: Bool
  ) throws {
    let exercise = try Self.exercise(isGuarded)
    try exercise.send("crash")
    #expect(try exercise.run.finish() != .exited(0))
    #expect(exercise.run.errors.contains("Registers:") != isGuarded, "\(exercise.run.errors)")
    #expect(exercise.run.errors.contains("Fatal error: asked for"))
  }

  @Test func `a restricted process reads, writes and listens only where its rules allow it`() throws {
    let (inside, outside) = (try Scratch(), try Scratch())
    for scratch in [inside, outside] {
      _ = try scratch.write("file", "")
      try Exercise.succeed("chmod", ["-R", "a+rwX", scratch.directory.path])
    }
    // All processes share this folder of memory.
    let shared = "/dev/shm/\(outside.directory.lastPathComponent)"
    defer { unlink(shared) }
    let orders = [
      "write \(inside.path("new")): ok", "read \(inside.path("file")): ok",
      "read \(outside.path("file")): Permission denied",
      "write \(outside.path("new")): Permission denied", "write \(shared): Permission denied", "read /etc/passwd: ok",
      "write /dev/null: ok",
      "listen 24464: ok", "listen 24465: Permission denied",
    ]
    let restricted = try Self.exercise(true, ["--folder", inside.directory.path, "--port", "24464"])
    let free = try Self.exercise(true)
    for order in orders {
      let parts = order.split(separator: ": ").map(String.init)
      #expect(try restricted.order(parts[0]) == parts[1], "\(order)")
      #expect(try free.order(parts[0]) == (parts[0] == "listen 24464" ? "Address already in use" : "ok"), "\(order)")
    }
    #expect(!restricted.run.output.contains("gap"), "this kernel is too old: \(restricted.run.output)")
  }

  @Test func `a restricted process starts no program and changes no root folder`() throws {
    let scratch = try Scratch()
    let restricted = try Exercise(["--folder", scratch.directory.path], user: "0")
    #expect(try restricted.order("start /bin/true") == "Operation not permitted")
    #expect(try restricted.order("chroot") == "Operation not permitted")
    let free = try Exercise(user: "0")
    #expect(try free.order("start /bin/true") == "ok")
    #expect(try free.order("chroot") == "ok")
  }
}
