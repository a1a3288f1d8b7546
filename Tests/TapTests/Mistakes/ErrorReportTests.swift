import Fixtures
import Foundation
import Links
import PaymentAcceptance
import TestSupport
import Testing
import POSIX

@testable import tap

/// Errors of commands that print JSON: one shape, on the stream of the results.
@Suite("Errors as JSON", .blocks, .timeLimit(.minutes(20)))
struct ErrorReportTests {
  /// The code of each command line that ends with an error, without `--format json`. DIR stands for a folder of the test.
  static let lines: [(code: String, exit: Int32, line: String)] = [
    ("fileNotFound", 1, "accept --reader loopback:/nowhere --amount 1 --currency EUR"),
    ("fileNotFound", 1, "accept --reader replay:/nowhere --amount 1 --currency EUR"),
    ("fileNotFound", 1, "present --link loopback --card /nowhere"),
    ("fileNotFound", 1, "send --reader loopback:/nowhere 00A4040000"),
    ("fileNotFound", 1, "dump --reader loopback:/nowhere"), ("fileNotFound", 1, "decode /nowhere"),
    ("fileNotFound", 1, "bench --card /nowhere"), ("fileNotFound", 1, "demo --card /nowhere"),
    ("fileNotFound", 1, "lab pn532 --card /nowhere"), ("fileNotFound", 1, "lab pcsc --card /nowhere"),
    ("fileNotFound", 1, "card check /nowhere"), ("fileNotFound", 1, "terminal check /nowhere"),
    ("fileNotFound", 1, "wallet add --wallet DIR/w --card /nowhere"),
    ("fileNotFound", 1, "accept --reader \(visa) --amount 1 --currency EUR --record /nowhere/x"),
    ("fileExists", 1, "accept --reader \(visa) --amount 1 --currency EUR --record DIR/letters.txt"),
    ("fileExists", 1, "bench --link direct --taps 1 --save DIR/letters.txt"),
    ("file", 1, "accept --reader \(visa) --amount 1 --currency EUR --record /"),
    ("noSpace", 1, "send --reader \(visa) 00A4040000 --record /dev/full"),
    ("fileRefused", 1, "accept --reader \(visa) --amount 1 --currency EUR --record DISK/x"),
    ("cardProfile", 2, "demo --card DIR/empty.json"),
    ("cardProfile", 2, "accept --reader loopback:DIR/empty.json --amount 1 --currency EUR"),
    ("cardProfile", 2, "present --link loopback --card \(TapProgram.card("visa-cvn18")) --faults"),
    ("terminalProfile", 2, "accept --reader \(visa) --amount 1 --currency EUR --terminal DIR/empty.json"),
    ("scenario", 1, "test --reader loopback /nowhere"), ("scenario", 1, "test /nowhere"),
    ("scenario", 2, "test --reader loopback DIR/empty.json"),
    ("transcript", 2, "accept --reader replay:DIR/letters.txt --amount 1 --currency EUR"),
    ("issuer", 2, "accept --reader \(visa) --amount 1 --currency EUR --issuer-key DIR/letters.txt"),
    ("malformed", 2, "decode zz"), ("transcript", 2, "decode DIR/letters.txt"),
    ("malformed", 2, "send --reader \(visa) --script DIR/letters.txt"),
    ("malformed", 2, "send --reader \(visa) 00A4"),
    ("wallet", 1, "wallet list --wallet /nowhere"), ("wallet", 1, "wallet default --wallet /nowhere x"),
    ("wallet", 1, "wallet replenish --wallet /nowhere x"), ("wallet", 1, "wallet keys --wallet /nowhere"),
    ("wallet", 1, "wallet reset --wallet /nowhere"), ("wallet", 1, "wallet delete --wallet /nowhere x"),
    ("wallet", 1, "present --link loopback --wallet /nowhere"),
    ("wallet", 1, "device enrol --wallet /dev/null/w"),
    ("device", 1, "device simulate --device /nowhere/x --passcode off"),
    ("recordingDiffers", 2, "accept --reader replay:\(recording) --amount 5 --currency EUR"),
    ("failed", 2, "test --reader loopback -k nosuch \(Fixtures.url("Scenarios/visa-low-value.yaml").path)"),
    (
      "failed", 64,
      "test --reader replay:DIR/recordings --repeat 2 \(Fixtures.url("Scenarios/visa-low-value.yaml").path)"
    ),
  ]

  private static let visa = SendTests.visa
  private static let recording = Fixtures.url("Transcripts/visa-cvn18-terminal.txt").path

  @Test(arguments: [
    "accept --reader x", "accept --reader loopback:x", "bench --taps 0", "acept", "decode --nosuch", "wallet list",
    "test", "lab pn532 --seed x",
  ])
  func `wrong usage has a code and a message too`(_ line: String) throws {
    let run = try TapProgram.finish(
      TapProgram.start(line.split(separator: " ").map(String.init) + ["--format", "json"]))
    #expect(run.code == 64 && run.errors.hasPrefix("error: "), "\(run.output)\(run.errors)")
    let error = try #require(run.json()["error"] as? [String: Any], "\(run.output)")
    #expect(error["code"] as? String == "usage")
    let message = try #require(error["message"] as? String)
    #expect(!message.isEmpty && run.errors.contains(message), "\(message): \(run.errors)")
  }

  @Test(arguments: lines.indices)
  func `an error has a code and a message, which standard error has too`(_ row: Int) throws {
    let (code, exit, line) = Self.lines[row]
    let scratch = try Scratch()
    _ = try scratch.write("letters.txt", "zz\n")
    _ = try scratch.write("empty.json", "{}")
    try FileManager.default.createDirectory(atPath: scratch.path("recordings"), withIntermediateDirectories: false)
    try FileManager.default.copyItem(atPath: Self.recording, toPath: scratch.path("recordings/visa.txt"))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: scratch.path("letters.txt"))
    let disk = try line.contains("DISK") ? MountedDisk(kilobytes: 256) : nil
    try disk?.makeReadOnly()
    let words = line.replacingOccurrences(of: "DIR/", with: scratch.path("") + "/")
      .replacingOccurrences(of: "DISK", with: disk?.path ?? "").split(separator: " ").map(String.init)
    let run = try TapProgram.finish(TapProgram.start(words + ["--format", "json"]))
    #expect(run.code == exit, "\(line): \(run.output)\(run.errors)")
    let document = try #require(run.output.split(separator: "\n").last, "\(line): \(run.errors)")
    let report = try #require(try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any])
    let error = try #require(report["error"] as? [String: Any], "\(line): \(run.output)")
    #expect(Set(error.keys) == ["code", "message"])
    #expect(error["code"] as? String == code, "\(line): \(run.output)")
    let message = try #require(error["message"] as? String)
    #expect(!message.isEmpty && run.errors.contains("error: \(message)"), "\(line): \(run.errors)")
  }

  @Test func `every code is described in the schema, and the schema describes no other`() throws {
    let schema = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: OutputSchema.path)))
    let definitions = (schema as? [String: Any])?["definitions"] as? [String: [String: Any]]
    let described = try #require(definitions?["errorCode"]?["oneOf"] as? [[String: String]])
    let links: [LinkError.Code] = [
      .cardRemoved, .severalCards, .terminalLost, .readerUnavailable, .serviceUnavailable, .busy, .timedOut, .stopped,
      .protocolViolation, .transmissionFailed, .recordingDiffers,
    ]
    #expect(described.compactMap { $0["const"] } == ErrorCode.allCases.map(\.rawValue) + links.map(\.rawValue))
    #expect(described.allSatisfy { $0["description"]?.isEmpty == false })
  }

  @Test func `the code of an error follows from its type`() {
    #expect(ErrorCode(PaymentOrderError.cashback("too much")) == .request)
    #expect(ErrorCode.name(of: LinkError(.busy, "in use")) == "busy")
    #expect(ErrorCode(CancellationError()) == .failed)
    for (number, code) in [
      (ENOENT, ErrorCode.fileNotFound), (EEXIST, .fileExists), (EACCES, .fileRefused), (EROFS, .fileRefused),
      (ENOSPC, .noSpace), (EDQUOT, .noSpace), (EIO, .file),
    ] {
      let error = NSError(domain: NSPOSIXErrorDomain, code: Int(number))
      #expect(ErrorCode(FileError(reading: "file", error)) == code)
      #expect(ErrorCode(FileError(writing: "file", error)) == code)
    }
  }
}
