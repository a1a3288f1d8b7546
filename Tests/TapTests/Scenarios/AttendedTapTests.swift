import Fixtures
import Foundation
import TestSupport
import Testing

/// `tap test --link vpcd:` with a terminal at a virtual reader: what a person or a command sees, and interruptions.
@Suite("Terminal tests at a link", .blocks, .serialized, .timeLimit(.minutes(20)))
struct AttendedTapTests {
  let scratch: Scratch
  let reader: IsolatedPCSCD

  init() throws {
    scratch = try Scratch()
    reader = try IsolatedPCSCD()
  }

  /// Writes a scenario; the form of GET PROCESSING OPTIONS makes it fail when `isRight` is false.
  func scenario(isRight: Bool = true) throws -> String {
    try scratch.terminalScenario("asked", expect: "bytes: {GPO: \"80 \(isRight ? "A8" : "A9")\"}, shown: approved")
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
    #expect(run.output.contains("0 passed, 1 failed, 0 errors; 1 tap: 1 failed; interrupted"), "\(run.output)")
    withExtendedLifetime(input) {}
  }

  @Test(arguments: [(true, "NOT JUDGED asked"), (false, "FAILED asked")])
  func `an input that ends at the question costs no failure that is certain`(
    _ isRight: Bool, _ words: String
  ) throws {
    let input = Pipe()
    let run = try start([scenario(isRight: isRight)] + link, input: input)
    try pay(at: run, presentation: 1)
    try answer(run, input, question: 1, "")
    try input.fileHandleForWriting.close()
    #expect(try run.finish(timeout: .seconds(60)) == .exited(2), "\(run.output)\(run.errors)")
    #expect(run.output.contains(words), "\(run.output)")
  }

  @Test func `the command of --observe ends with a tap to which no terminal came`() throws {
    let file = scratch.path("process")
    let run = try start(
      [scenario(), "--timeout", "1", "--observe", "echo $$ > \(file); sleep 1000 & sleep 1000"] + link)
    #expect(try run.finish(timeout: .seconds(120)) == .exited(3), "\(run.output)\(run.errors)")
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
    #expect(try run.finish(timeout: .seconds(50)) == .exited(2), "\(run.output)\(run.errors)\(terminal.errors)")
    #expect(run.output.contains("NOT JUDGED asked"), "\(run.output)")
  }

  /// Waits for a question, then types lines.
  func answer(_ run: ProgramRun, _ input: Pipe, question number: Int, _ lines: String) throws {
    let isAsked = run.wait(timeout: .seconds(120)) {
      $0.errors.components(separatedBy: "What did the terminal show?").count > number
    }
    #expect(isAsked, "\(run.output)\(run.errors)")
    try input.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
  }

  /// Waits until a card is presented for the time of this number, and takes a payment from it.
  func pay(at run: ProgramRun, presentation number: Int) throws {
    let isWaiting = run.wait(timeout: .seconds(120)) {
      $0.errors.components(separatedBy: "Waiting for a terminal").count > number
    }
    #expect(isWaiting, "\(run.output)\(run.errors)")
    // The reader may still see that the card before has left: the terminal then finds no card, and takes the next one.
    for _ in 0..<5 {
      if try pay().finish(timeout: .seconds(120)) == .exited(0) { return }
    }
  }

  @Test func `a person can make a tap again and add a comment`() throws {
    let input = Pipe()
    let run = try start([scenario()] + link, input: input)
    try pay(at: run, presentation: 1)
    #expect(run.errors.contains("Ｅｎｔｅｒ　１２．３４　ＥＵＲ"), "\(run.errors)")
    #expect(run.errors.contains("Scenario 1 of 1, tap 1 of 1"), "\(run.errors)")
    try answer(run, input, question: 1, " \n")
    try pay(at: run, presentation: 2)
    try answer(run, input, question: 2, "c\nthe light was green\na\n")
    #expect(try run.finish(timeout: .seconds(60)) == .exited(0), "\(run.output)\(run.errors)")
    #expect(run.output.contains("(the light was green)"), "\(run.output)")
    #expect(run.output.hasSuffix("1 passed, 0 failed, 0 errors; 1 tap\n"), "\(run.output)")
  }

  @Test func `a run goes on after an interruption with the taps and answers that it has, and is judged again`() throws {
    let (folder, input) = (scratch.path("recordings"), Pipe())
    let command = try ["\(scenario())", "--repeat", "2", "--record", folder] + link
    let first = try start(command, input: input)
    try pay(at: first, presentation: 1)
    try answer(first, input, question: 1, "c\nfirst\na\n")
    try pay(at: first, presentation: 2)
    #expect(first.wait(timeout: .seconds(120)) { $0.errors.components(separatedBy: "What did").count > 2 })
    first.signal(SIGINT)
    #expect(try first.finish(timeout: .seconds(60)) == .exited(130), "\(first.errors)")
    #expect(first.output.contains("1 not judged; 2 taps: 1 passed, 1 not judged; interrupted"), "\(first.output)")
    let second = try start(command, input: input)
    try pay(at: second, presentation: 1)
    try answer(second, input, question: 1, "a\n")
    #expect(try second.finish(timeout: .seconds(60)) == .exited(0), "\(second.output)\(second.errors)")
    #expect(second.errors.contains("Going on with the run") && second.output.contains("(first)"), "\(second.errors)")
    let again = try start([scenario(), "--repeat", "2", "--link", "replay:\(folder)"])
    #expect(try again.finish(timeout: .seconds(60)) == .exited(0), "\(again.output)\(again.errors)")
    #expect(again.output.contains("(first)"), "\(again.output)")
    #expect(again.output.contains("1 passed, 0 failed, 0 errors; 2 taps\n"), "\(again.output)")
    withExtendedLifetime(input) {}
  }

  @Test func `a tap whose recording has no profile of its card is made again, and its file is replaced`() throws {
    let (folder, input) = (scratch.path("recordings"), Pipe())
    let recorded = try RecordedTestTests()
    let file = try recorded.terminalScenario("P-1", card: recorded.strangerCard())
    try recorded.record([file], in: folder, at: link[1])
    let run = try start([file, "--record", folder] + link, input: input)
    try pay(at: run, presentation: 1)
    try answer(run, input, question: 1, "c\nmade again\na\n")
    #expect(try run.finish(timeout: .seconds(60)) == .exited(0), "\(run.output)\(run.errors)")
    #expect(run.errors.contains("1 tap is made again, since its recording has no profile"), "\(run.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(names == ["01-p-1-p-1-0001.txt"], "\(names)")
    let text = try String(contentsOfFile: "\(folder)/\(names[0])", encoding: .utf8)
    #expect(text.contains("#@ comment: made again"), "\(text)")
    withExtendedLifetime(input) {}
  }
}
