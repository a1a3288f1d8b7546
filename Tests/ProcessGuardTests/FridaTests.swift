import Foundation
import TestSupport
import Testing

/// Frida as root, attached and idle.
@Suite("Frida against a process", .blocks, .timeLimit(.minutes(20)))
struct FridaTests {
  private static let script = """
    import frida, sys, time
    session = frida.attach(int(sys.argv[1]))
    print("attached", flush=True)
    time.sleep(600)
    """

  private static func attach(to exercise: Exercise) throws -> ProgramRun {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    let python = root.appending(path: ".build/oracles/bin/python").path
    let check = try ProgramRun(python, ["-c", "import frida"])
    try #require(
      try check.finish() == .exited(0), "frida is missing: run tools/test, which installs it. \(check.errors)")
    return try ProgramRun(python, ["-c", script, "\(exercise.run.identifier)"])
  }

  @Test func `Frida enters a process without the protection, and its idle agent is found`() throws {
    let exercise = try Exercise(["--unguarded"])
    #expect(try exercise.order("scan") == "clean")
    let frida = try Self.attach(to: exercise)
    try #require(frida.wait(timeout: .seconds(60)) { $0.output.contains("attached") }, "\(frida.errors)")
    let found = try exercise.order("scan")
    #expect(found.contains("foreign memory is executable (/memfd:frida-agent"), "\(found)")
  }

  @Test func `Frida cannot enter a protected process, which goes on`() throws {
    let exercise = try Exercise()
    let frida = try Self.attach(to: exercise)
    #expect(try frida.finish() == .exited(1))
    #expect(frida.errors.contains("unexpected failure while trying to allocate memory"), "\(frida.errors)")
    #expect(!frida.output.contains("attached"))
    #expect(try exercise.order("scan") == "clean")
  }
}
