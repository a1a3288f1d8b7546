import Fixtures
import Foundation
import TestSupport
import Testing

/// `tap test --link vpcd:` with a terminal at a virtual reader: what a person or a command sees, and interruptions.
@Suite("Terminal tests at a link", .blocks, .serialized, .timeLimit(.minutes(20)))
struct DeskTests {
  let scratch: Scratch
  let reader: IsolatedPCSCD

  init() throws {
    scratch = try Scratch()
    reader = try IsolatedPCSCD()
  }

  /// Writes a scenario; the form of GET PROCESSING OPTIONS makes it fail when `isRight` is false.
  func scenario(isRight: Bool = true) throws -> String {
    try scratch.write(
      "asked.yaml",
      """
      role: card
      id: D-1
      name: asked
      rule: EMV 4.4 Book 3, 10.2
      amount: 12.34
      currency: EUR
      card: {file: \(TapProgram.card("visa-cvn18"))}
      expect: {bytes: {GPO: "80 \(isRight ? "A8" : "A9")"}, shown: approved}

      """)
  }

  /// Starts `tap test` with a standard input that stays open.
  func start(_ arguments: [String], input: Pipe = Pipe()) throws -> ProgramRun {
    let descriptor = fcntl(input.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 10)
    defer { close(descriptor) }
    return try ProgramRun(
      TapProgram.path, ["test"] + arguments, environment: reader.environment, descriptors: [0: descriptor])
  }

  var link: [String] { ["--link", "vpcd:127.0.0.1:\(reader.port)"] }

  /// Takes a payment at the reader.
  func pay() throws -> ProgramRun {
    try TapProgram.start(
      ["accept", "--reader", "pcsc:\(reader.readerNames[0])", "--amount", "12.34", "--currency", "EUR"],
      environment: reader.environment)
  }

  @Test func `an interruption while an answer is awaited keeps the failure that is certain`() throws {
    let input = Pipe()
    let run = try start([scenario(isRight: false)] + link, input: input)
    #expect(run.wait(timeout: .seconds(120)) { $0.errors.contains("Waiting for a terminal") })
    let terminal = try pay()
    let isAsked = run.wait(timeout: .seconds(120)) { $0.errors.contains("What did the terminal show?") }
    #expect(isAsked, "\(run.output)\(run.errors)\(terminal.errors)")
    run.signal(SIGINT)
    #expect(try run.finish(timeout: .seconds(60)) == .exited(130), "\(run.errors)")
    #expect(run.output.contains("FAILED asked, tap 1 of 1"), "\(run.output)\(run.errors)")
    #expect(run.output.contains("0 passed, 1 failed, 0 errors, interrupted"), "\(run.output)")
    withExtendedLifetime(input) {}
  }

  @Test func `the command of --observe ends with a tap to which no terminal came`() throws {
    let file = scratch.path("process")
    let run = try start(
      [scenario(), "--timeout", "1", "--observe", "echo $$ > \(file); sleep 1000 & sleep 1000"] + link)
    #expect(try run.finish(timeout: .seconds(120)) == .exited(1), "\(run.output)\(run.errors)")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let process = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    // Its parent has ended: it may stay a zombie, and SIGKILL takes a moment.
    func state() -> String? { try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) }
    for _ in 0..<600 where state()?.contains(") Z ") == false { usleep(100_000) }
    #expect(state()?.contains(") Z ") ?? true, "\(state() ?? "")")
  }

  @Test func `a command of --observe that prints without an end is ended, and the tap is not judged`() throws {
    let run = try start([scenario(), "--observe", "yes"] + link)
    #expect(run.wait(timeout: .seconds(120)) { $0.errors.contains("Waiting for a terminal") })
    let terminal = try pay()
    #expect(try run.finish(timeout: .seconds(50)) == .exited(1), "\(run.output)\(run.errors)\(terminal.errors)")
    #expect(run.output.contains("NOT JUDGED asked"), "\(run.output)")
  }
}
