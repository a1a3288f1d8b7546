import Fixtures
import Foundation
import Links
import PaymentPrograms
import ProgramSupport
import TestSupport
import Testing
import POSIX

@testable import tap

/// The exit codes of the program, which mean the same in every command. The article TheProgramTap has the tables.
@Suite("Exit codes", .blocks, .timeLimit(.minutes(20)))
struct ExitTests {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    let recording = try String(contentsOf: Fixtures.url("Transcripts/visa-cvn18-terminal.txt"), encoding: .utf8)
    _ = try scratch.write("open.json", "{")
    _ = try scratch.write("letters.txt", "zz\n")
    _ = try scratch.write("open.yaml", "name: [")
    _ = try scratch.write(
      "different.txt", recording.replacingOccurrences(of: "00A404000E325041", with: "00A404000E325042"))
    _ = try scratch.write("empty.txt", "")
    _ = try scratch.write("lines", "00A4\n")
    _ = try scratch.write("log.json", "{}")
    for (folder, name) in [("one", "visa.txt"), ("other", "01-other-0001.txt")] {
      try FileManager.default.createDirectory(atPath: scratch.path(folder), withIntermediateDirectories: true)
      _ = try scratch.write("\(folder)/\(name)", recording)
    }
    for name in ["letters.txt", "log.json"] {
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: scratch.path(name))
    }
  }

  private static let (visa, scenario) = (SendTests.visa, Fixtures.url("Scenarios/visa-low-value.yaml").path)
  private static let (card, recording) = (
    TapProgram.card("visa-cvn18"), Fixtures.url("Transcripts/visa-cvn18-terminal.txt").path
  )

  /// A command line, its exit code and the case; `<FILE` at the end is its standard input, and DIR the folder of `init`.
  static let rows = MistakeRow.table(
    """
    accept --reader \(visa) --amount 12.34 --currency EUR ¦ 0 ¦ approved
    accept --reader \(visa) --amount 10000 --currency EUR ¦ 2 ¦ other interface
    accept --reader \(visa) --amount 12.34 --currency EUR --issuer none ¦ 2 ¦ online request
    accept --reader \(visa) --amount 12.34 --currency EUR --issuer https://127.0.0.1:1 ¦ 3 ¦ issuer not reached
    accept --reader loopback:\(TapProgram.card("faulty-link")) --amount 12.34 --currency EUR --faults ¦ 2 ¦ torn
    accept --reader replay:\(recording) --amount 5 --currency EUR ¦ 2 ¦ differs
    accept --reader replay:DIR/letters.txt --amount 1 --currency EUR ¦ 2 ¦ malformed recording
    accept --reader loopback:DIR/open.json --amount 1 --currency EUR ¦ 2 ¦ malformed card
    accept --reader loopback:/nowhere --amount 1 --currency EUR ¦ 1 ¦ no card file
    accept --reader \(visa) --amount 1 --currency EUR --terminal DIR/open.json ¦ 2 ¦ malformed terminal
    accept --reader \(visa) --amount 1 --currency EUR --issuer-key DIR/letters.txt ¦ 2 ¦ malformed keys
    accept --reader \(visa) --amount 1 --currency EUR --terminal-log DIR/log.json ¦ 2 ¦ no log
    accept --reader \(visa) --amount 1 --currency EUR --record /nowhere/x ¦ 1 ¦ not written
    accept --reader pcsc:x --amount 1 --currency EUR ¦ 3 ¦ no reader service
    accept --reader \(visa) --amount 1.234 --currency EUR ¦ 64 ¦ wrong value
    bench --card DIR/open.json ¦ 2 ¦ malformed card
    bench --compare DIR/letters.txt ¦ 2 ¦ no result
    bench --reader pcsc:x --taps 1 ¦ 3 ¦ no reader service
    card check \(card) ¦ 0 ¦ no problem
    card check DIR/open.json ¦ 2 ¦ problems
    card check /nowhere DIR/open.json ¦ 1 ¦ one is not read
    card show DIR/open.json ¦ 2 ¦ problems
    card show /nowhere ¦ 1 ¦ not read
    card new --scheme amec ¦ 64 ¦ wrong value
    card new --scheme visa --number 4761739001010011 ¦ 64 ¦ wrong value
    convert DIR/letters.txt --to json ¦ 2 ¦ no known form
    convert /nowhere --to json ¦ 1 ¦ not read
    decode zz ¦ 2 ¦ malformed
    decode DIR/letters.txt ¦ 2 ¦ malformed
    decode /nowhere ¦ 1 ¦ not read
    decode --tag nothing 00 ¦ 64 ¦ wrong value
    demo --card DIR/open.json ¦ 2 ¦ problems
    device keys list --socket DIR/socket ¦ 1 ¦ no device
    device simulate --device DIR/device --biometric enrol ¦ 2 ¦ refused
    device simulate --device /nowhere/x --passcode on ¦ 1 ¦ not written
    device simulate --device DIR/open.json --passcode on ¦ 2 ¦ malformed
    dump --reader replay:DIR/letters.txt ¦ 2 ¦ malformed recording
    dump --reader pcsc:x ¦ 3 ¦ no reader service
    present --link loopback --card \(card) --user cancel ¦ 2 ¦ refused
    present --link loopback --card \(TapProgram.card("faulty-link")) --faults ¦ 2 ¦ torn
    present --link loopback --card \(TapProgram.card("faulty-cryptogram")) --faults ¦ 2 ¦ ended
    present --link loopback --card \(card) --unarmed ¦ 2 ¦ refused
    present --link loopback --wallet DIR/wallet --digital-card x ¦ 1 ¦ no wallet
    present --link vpcd:127.0.0.1:1 --card \(card) ¦ 3 ¦ link not reached
    readers --check ¦ 2 ¦ problems
    redact DIR/letters.txt ¦ 2 ¦ no known form
    redact /nowhere ¦ 1 ¦ not read
    replay \(recording) ¦ 0 ¦ reproduced
    replay DIR/different.txt ¦ 2 ¦ differs
    replay DIR/letters.txt ¦ 2 ¦ no known form
    replay /nowhere ¦ 1 ¦ not read
    replay DIR/different.txt \(recording) --card DIR/open.json ¦ 2 ¦ malformed card
    send --reader \(visa) 00A4 ¦ 2 ¦ malformed
    send --reader \(visa) --script DIR/letters.txt ¦ 2 ¦ malformed
    send --reader \(visa) 00B2010C00 ¦ 2 ¦ status word
    send --reader replay:\(recording) 00B2010C00 ¦ 2 ¦ differs
    send --reader pcsc:x 00B2010C00 ¦ 3 ¦ no reader service
    send --reader nfc:pn532_uart:/dev/nonexistent 00B2010C00 ¦ 3 ¦ no reader
    shell --reader \(visa) <DIR/letters.txt ¦ 2 ¦ wrong line
    shell --reader pcsc:x <DIR/letters.txt ¦ 3 ¦ no reader service
    terminal check DIR/open.json ¦ 2 ¦ problems
    terminal show DIR/open.json ¦ 2 ¦ problems
    terminal except DIR/except.json <DIR/letters.txt ¦ 2 ¦ no number
    test \(scenario) --reader loopback ¦ 0 ¦ passed
    test \(scenario) --reader loopback:\(TapProgram.card("amex-mobile")) ¦ 2 ¦ not as expected
    test \(scenario) --reader replay:DIR/other ¦ 2 ¦ not judged
    test \(scenario) --reader replay:DIR/letters.txt ¦ 2 ¦ malformed recording
    test DIR/open.yaml --reader loopback ¦ 2 ¦ problems
    test /nowhere --reader loopback ¦ 1 ¦ not read
    test \(scenario) --reader pcsc:x ¦ 3 ¦ no reader service
    test \(scenario) --link vpcd:127.0.0.1:1 ¦ 2 ¦ not applicable
    test \(scenario) --reader loopback -k nosuch ¦ 2 ¦ not judged
    test \(scenario) --reader replay:DIR/one --repeat 2 ¦ 64 ¦ wrong value
    wallet list --wallet /nowhere ¦ 1 ¦ no wallet
    wallet add --wallet DIR/w --card DIR/open.json ¦ 2 ¦ malformed card
    """)

  /// Runs a row where no reader service and no libnfc is.
  private func run(_ row: MistakeRow) throws -> TapProgram.Run {
    var words = row.arguments.map { $0.replacingOccurrences(of: "DIR/", with: scratch.path("") + "/") }
    let input = words.last?.hasPrefix("<") == true ? words.removeLast().dropFirst() : "/dev/null"
    let file = try FileHandle(forReadingFrom: URL(filePath: String(input)))
    let descriptor = fcntl(file.fileDescriptor, F_DUPFD_CLOEXEC, 10)
    defer { close(descriptor) }
    return try TapProgram.finish(
      ProgramRun(
        TapProgram.path, words,
        environment: [
          "CONTACTLESS_READER": "", "CONTACTLESS_LINK": "", "PCSCLITE_CSOCK_NAME": scratch.path("no-pcscd"),
        ], descriptors: [0: descriptor]))
  }

  @Test(arguments: rows)
  func `a command ends with the code of its case`(_ row: MistakeRow) throws {
    let run = try run(row)
    #expect(run.code == row.code, "\(row), \(row.names): \(run.output)\(run.errors)")
  }

  @Test func `a wallet that refuses ends with 2`() throws {
    let wallet = scratch.path("wallet")
    func tap(_ words: String...) throws -> Int32 {
      try TapProgram.finish(TapProgram.start(words + ["--wallet", wallet])).code
    }
    #expect(try tap("wallet", "add", "--card", Self.card, "--id", "first") == 0)
    #expect(try tap("wallet", "add", "--card", Self.card, "--id", "first") == 2, "the name is taken")
    #expect(try tap("wallet", "add", "--card", Self.card, "--policy", "userPresence") == 2, "another policy")
    #expect(try tap("wallet", "suspend", "other") == 2, "no such card")
    #expect(try tap("present", "--link", "loopback", "--digital-card", "other") == 2, "no such card")
    #expect(try tap("device", "enrol", "--policy", "userPresence") == 2, "another policy")
    #expect(try tap("wallet", "suspend", "first") == 0)
    #expect(try tap("present", "--link", "loopback") == 2, "the card is suspended")
  }

  @Test func `an error ends a program before one that was not reached, and that before one that is not right`() {
    #expect(Exit(of: []) == .done)
    #expect(Exit(of: [.done, .notRight]) == .notRight)
    #expect(Exit(of: [.notRight, .notReached, .done]) == .notReached)
    #expect(Exit(of: [.notReached, .error, .notRight]) == .error)
  }

  @Test func `an error decides by its type how it ends a program`() {
    let exits: [(any Error, Exit)] = [
      (FileError(reading: "x", CocoaError(.fileNoSuchFile)), .error), (LinkError(.timedOut, ""), .notReached),
      (LinkError(.cardRemoved, ""), .notRight), (InputError(description: "", code: .malformed), .notRight),
      (InputError(description: "", code: .file), .error), (CancellationError(), .error),
    ]
    for (error, exit) in exits { #expect(Exit(error) == exit, "\(error)") }
  }
}
