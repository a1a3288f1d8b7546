import Foundation
import Glibc
import TestSupport
import Testing

/// Attackers that the protection does not stop, such as root, and the findings of the next check.
@Suite("The checks of a process", .blocks, .timeLimit(.minutes(120)))
struct DetectionTests {
  @Test func `1 000 checks of an untouched program find nothing`() throws {
    let exercise = try Exercise()
    for _ in 0..<(Soak.isOn ? 1_000 : 10) { #expect(try exercise.order("scan 100") == "clean") }
  }

  @Test func `a scan takes less than a second of a processor`() throws {
    let exercise = try Exercise { if Exercise.hardened == nil { try Exercise.seal($0.path("program")) } }
    let milliseconds = try #require(Int(try exercise.order("duration")))
    #expect(milliseconds < 1_000)
  }

  @Test func `gdb of root is found while it is attached`() throws {
    let exercise = try Exercise()
    #expect(try exercise.order("scan") == "clean")
    let gdb = try ProgramRun(
      "gdb", ["-nx", "-batch", "-p", "\(exercise.run.identifier)", "-ex", "continue"])
    let isAttached = gdb.wait(timeout: .seconds(60)) { _ in
      exercise.status("TracerPid") == "\(gdb.identifier)" && exercise.status("State")?.hasPrefix("S") == true
    }
    #expect(isAttached, "\(gdb.output) \(gdb.errors)")
    let found = try exercise.order("scan")
    #expect(found.contains("process \(gdb.identifier) traces this program"), "\(found)")
  }

  @Test func `a byte of the code that root changes in memory is found`() throws {
    let exercise = try Exercise()
    let place = try exercise.symbol("cguard_is_dumpable")
    try exercise.patchMemory(at: exercise.base() + place, [0xCC])
    let found = try exercise.order("scan")
    #expect(found.contains("the code of /proc/self/exe") && found.contains("in memory was changed"), "\(found)")
  }

  @Test func `an imported function that root redirects is found`() throws {
    let exercise = try Exercise()
    let slots = try Exercise.output("readelf", ["-rW", exercise.scratch.path("program")])
    let line = try #require(slots.split(separator: "\n").first { $0.contains(" chroot@GLIBC") }, "\(slots)")
    let place = try #require(line.split(separator: " ").first.flatMap { UInt64($0, radix: 16) })
    // The secret, which is no code.
    let target = try #require(UInt64(exercise.address))
    try exercise.patchMemory(at: exercise.base() + place, withUnsafeBytes(of: target.littleEndian) { Array($0) })
    let found = try exercise.order("scan")
    #expect(found.contains("the function chroot was replaced in memory"), "\(found)")
  }

  /// A library of root that announces itself, and overwrites its variable with one that looks harmless.
  private static let source = """
    #include <string.h>
    #include <unistd.h>
    extern char **environ;
    unsigned la_version(unsigned version) { return version; }
    __attribute__((constructor)) static void enter(void) {
      for (char **next = environ; *next; next++) {
        if (!strncmp(*next, "LD_", 3)) memcpy(*next, "AB_", 3);
      }
      write(2, "the library is in\\n", 18);
    }
    """

  @Test(arguments: ["LD_PRELOAD", "LD_AUDIT"]) func `a library of root that hides its variable is found`(_ name: String)
    throws
  {
    let scratch = try Scratch()
    let source = try scratch.write("enter.c", Self.source)
    try Exercise.succeed("clang", ["-shared", "-fPIC", "-o", scratch.path("enter.so"), source])
    try Exercise.succeed("chmod", ["755", scratch.directory.path])
    let environment = [name: scratch.path("enter.so")]
    let unguarded = try Exercise(["--unguarded"], environment: environment)
    #expect(unguarded.run.errors.contains("the library is in"), "\(unguarded.run.errors)")
    let found = try Exercise(environment: environment).order("scan")
    #expect(found.contains("\(scratch.path("enter.so")) was loaded although"), "\(found)")
  }

  @Test func `a library of /etc/ld.so.preload is found`() throws {
    let scratch = try Scratch()
    let source = try scratch.write("enter.c", Self.source)
    try Exercise.succeed("clang", ["-shared", "-fPIC", "-o", scratch.path("enter.so"), source])
    try Exercise.succeed("chmod", ["755", scratch.directory.path])
    try Exercise.succeed("cp", ["-a", "/etc", scratch.path("etc")])
    _ = try scratch.write("etc/ld.so.preload", scratch.path("enter.so") + "\n")
    let program = Exercise.program
    let run = try ProgramRun(
      "env",
      try Exercise.runtimeVariables.map { "\($0)=\($1)" } + [
        "unshare", "-m", "sh", "-c", #"mount --bind "$0/etc" /etc && echo scan | "$1""#, scratch.directory.path,
        program,
      ])
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    #expect(run.errors.contains("the library is in"))
    #expect(run.output.contains("\(scratch.path("enter.so")) was loaded although"), "\(run.output)")
  }

  @Test(.enabled(if: Exercise.hardened == nil, "a hardened program loads no library of its own folder"))
  func `a library beside the program that takes the place of one of the system is found`() throws {
    let libraries = try Exercise.output("ldd", [Exercise.program])
    let path = try #require(libraries.split(separator: " ").first { $0.contains("/libnettle.so.8") }, "\(libraries)")
    let exercise = try Exercise { scratch in
      try Exercise.succeed("cp", ["-L", String(path), scratch.path("libnettle.so.8")])
    }
    let maps = try Exercise.output("cat", ["/proc/\(exercise.run.identifier)/maps"])
    try #require(maps.contains(exercise.scratch.path("libnettle.so.8")), "the loader did not take it: \(maps)")
    let found = try exercise.order("scan")
    #expect(found.contains("foreign memory is executable (\(exercise.scratch.path("libnettle.so.8"))"), "\(found)")
  }

  @Test(arguments: Exercise.seals) func `a program patched on disk is found by its seal`(_ isSealed: Bool) throws {
    let exercise = try Exercise { scratch in
      if isSealed { try Exercise.seal(scratch.path("program")) }
      try Exercise.patch(scratch.path("program"), "cguard_is_dumpable", [0xCC])
    }
    let found = try exercise.order("scan")
    #expect(isSealed ? found.contains("differs from its seal") : found == "clean", "\(found)")
  }

  @Test func `a sealed program without a change is clean`() throws {
    #expect(try Exercise { try Exercise.seal($0.path("program")) }.order("scan 50") == "clean")
  }

  /// A function of a check, and code for it that finds nothing: `xor eax, eax; ret` or `mov eax, 1; ret`.
  /// The optimiser removes functions of Swift.
  static let guards: [(symbol: String, code: [UInt8], name: String)] = [
    ("cguard_replaced_functions", [0x31, 0xC0, 0xC3], "imported functions"),
    ("cguard_changed_text", [0x31, 0xC0, 0xC3], "code in memory"),
    ("V8isSealed", [0xB8, 1, 0, 0, 0, 0xC3], "the seal"),
    ("isForeign", [0x31, 0xC0, 0xC3], "libraries"),
  ].filter { Exercise.hardened == nil || $0.symbol.hasPrefix("cguard") }

  @Test(arguments: guards.indices) func `a check that a patch switches off is found by another one`(_ index: Int) throws
  {
    let (symbol, code, name) = Self.guards[index]
    for isSealed in Exercise.seals {
      let exercise = try Exercise { scratch in
        if isSealed { try Exercise.seal(scratch.path("program")) }
        try Exercise.patch(scratch.path("program"), symbol, code)
      }
      let found = try exercise.order("scan")
      #expect(found.contains("the check of \(name) finds nothing any more"), "\(found)")
      #expect(found.contains("differs from its seal") == (isSealed && name != "the seal"), "\(found)")
    }
  }

  @Test func `libraries that an upgrade replaces are reported, and are no sign of tampering`() throws {
    let scratch = try Scratch()
    let folder = "/usr/lib/x86_64-linux-gnu"
    let programs =
      [Exercise.folder.appending(path: "guard-exercise").path]
      + ["sh", "setpriv", "env", "mount"].map { "/usr/bin/\($0)" }
    // A folder of the system with the libraries of the program only, and without a list of others.
    let names = Set(["ld-linux-x86-64.so.2"]).union(
      try Exercise.output("ldd", programs).split(separator: " ").filter { $0.hasPrefix("/lib/x86_64") }
        .compactMap { $0.split(separator: "/").last.map(String.init) })
    try #require(names.contains("libc.so.6") && names.contains("libnettle.so.8"), "\(names)")
    for name in names { try Exercise.succeed("cp", ["-L", "\(folder)/\(name)", scratch.path(name)]) }
    try Exercise.succeed("chmod", ["755", scratch.directory.path])
    let exercise = try Exercise(
      place: [
        "unshare", "-m", "sh", "-c", #"mount --bind "$0" "$1"; shift; exec "$@""#, scratch.directory.path, folder,
      ])
    #expect(try exercise.order("scan") == "clean")
    #expect(try !exercise.order("remarks").contains("was replaced"))
    for name in ["libnettle.so.8", "libc.so.6"] {
      try Exercise.succeed("cp", [scratch.path("libgmp.so.10"), scratch.path("new")])
      try Exercise.succeed("mv", [scratch.path("new"), scratch.path(name)])
    }
    for order in ["scan", "use", "look"] { #expect(try exercise.order(order) == "clean") }
    let remarks = try exercise.order("remarks")
    for name in ["libnettle.so.8", "libc.so.6"] {
      #expect(remarks.contains("\(folder)/\(name) was replaced, as an upgrade does; restart"), "\(remarks)")
    }
  }

  @Test(arguments: Exercise.seals) func `a folder that its group can write stops a sealed program only`(
    _ isSealed: Bool
  )
    throws
  {
    let exercise = try Exercise { scratch in
      if isSealed { try Exercise.seal(scratch.path("program")) }
      try Exercise.succeed("chmod", ["775", scratch.directory.path])
    }
    let reason = "users other than its owner can write \(exercise.scratch.path("program")) or a folder above it"
    let found = try exercise.order("scan")
    #expect(isSealed ? found.contains(reason) : found == "clean", "\(found)")
    #expect(try exercise.order("remarks").contains(reason))
  }

  @Test func `the secrets are erased before a program ends without a reason`() throws {
    for (reaction, ending) in [("silence", ProgramRun.Ending.exited(1)), ("crash", .killed(signal: SIGSEGV))] {
      let exercise = try Exercise(environment: ["LD_PRELOAD": "libm.so.6"])
      _ = try? exercise.send("react \(reaction)")
      #expect(try exercise.run.finish() == ending)
      #expect(exercise.run.errors == "", "\(exercise.run.errors)")
    }
    let exercise = try Exercise()
    #expect(try exercise.order("erase") == "erased")
  }
}
