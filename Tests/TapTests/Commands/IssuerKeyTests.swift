import Fixtures
import Foundation
import TestSupport
import Testing

/// An issuer of one's own: its keys in a file, for cards, for authorisation and for replay.
@Suite("Issuer keys of tap", .blocks, .timeLimit(.minutes(20)))
struct IssuerKeyTests {
  static let digits = "00112233445566778899AABBCCDDEEFF"
  let scratch: Scratch
  let key: String

  init() throws {
    scratch = try Scratch()
    key = try scratch.write("issuer.key", "cryptogram: \(Self.digits)\ncvc3: \(String(Self.digits.reversed()))\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
  }

  /// A card that is no test card, from `tap card new`.
  func ownCard(_ scheme: String = "visa") throws -> String {
    let file = scratch.path("\(scheme).json")
    let number = scheme == "visa" ? "4761739001010119" : "5413330089020011"
    let run = try TapProgram.run("card", "new", "--scheme", scheme, "--number", number, "-o", file)
    #expect(run.code == 0, "\(run.errors)")
    return file
  }

  func accept(_ reader: String, _ further: [String]) throws -> TapProgram.Run {
    try TapProgram.accept(reader, amount: "80", currency: "EUR", further)
  }

  @Test func `a recorded card of an issuer is approved by that issuer only`() throws {
    let recording = scratch.path("tap.txt")
    let made = try accept("loopback:\(ownCard())", ["--issuer-key", key, "--record", recording, "--unredacted"])
    #expect(made.code == 0, "\(made.output)\(made.errors)")
    // The recording has the decision of the own issuer; with keys an issuer decides again.
    let own = try accept("replay:\(recording)", ["--issuer-key", key])
    #expect(own.code == 0, "\(own.output)\(own.errors)")
    let text = try String(contentsOfFile: recording, encoding: .utf8)
    let undecided = try scratch.write(
      "undecided.txt", text.split(separator: "\n").filter { !$0.hasPrefix("#@ host") }.joined(separator: "\n") + "\n")
    #expect(try accept("replay:\(undecided)", ["--issuer-key", key]).code == 0)
    let other = try accept("replay:\(undecided)", [])
    #expect(other.code == 2 && other.output.contains("the test issuer does not know this card"), "\(other.output)")
  }

  @Test(arguments: ["mastercard-magstripe", "visa-cvn10", "mastercard-cvn21"])
  func `shipped cards pay with keys of another issuer, in EMV and mag-stripe mode`(_ card: String) throws {
    let run = try accept("loopback:\(TapProgram.card(card))", ["--issuer-key", key, "--format", "json"])
    #expect(run.code == 0, "\(run.output)\(run.errors)")
  }

  @Test func `tap test takes cards and decisions of the issuer`() throws {
    let run = try TapProgram.run(
      "test", ScenarioTests.file("mastercard-emv.yaml"), "--reader", "loopback", "--issuer-key", key)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
  }

  @Test func `a card of a wallet with keys of an issuer pays through pcscd where that issuer decides`() throws {
    let wallet = scratch.path("wallet")
    let added = try TapProgram.run(
      "wallet", "add", "--wallet", wallet, "--card", ownCard(), "--id", "card", "--uses", "1", "--threshold", "1",
      "--issuer-key", key)
    #expect(added.code == 0, "\(added.errors)")
    // The first payment takes the key of wallet add, the second that of wallet replenish; the third is another issuer's.
    for (arguments, code) in [(["--issuer-key", key], Int32(0)), (["--issuer-key", key], 0), ([], 2)] {
      let pcscd = try IsolatedPCSCD()
      let card = try TapProgram.start([
        "present", "--link", "vpcd:127.0.0.1:\(pcscd.port)", "--wallet", wallet, "--format", "json",
      ])
      let run = try TapProgram.finish(
        TapProgram.start(
          ["accept", "--reader", "pcsc:\(pcscd.readerNames[0])", "--amount", "80", "--currency", "EUR"] + arguments,
          environment: pcscd.environment))
      #expect(run.code == code, "\(run.output)\(run.errors)")
      #expect(try TapProgram.finish(card).code == 0)
      let more = try TapProgram.run("wallet", "replenish", "--wallet", wallet, "card", "--force", "--issuer-key", key)
      #expect(more.code == 0, "\(more.errors)")
    }
  }

  @Test(arguments: ["visa", "mastercard"])
  func `a recording of one's own card is masked, and replays with its profile and its issuer's keys only`(
    _ scheme: String
  ) throws {
    let card = try ownCard(scheme)
    let recording = scratch.path("card.txt")
    let made = try TapProgram.run(
      "present", "--link", "loopback", "--card", card, "--issuer-key", key, "--record", recording)
    #expect(made.code == 0, "\(made.errors)")
    let text = try String(contentsOfFile: recording, encoding: .utf8)
    #expect(!text.contains("4761739001010119") && !text.contains("5413330089020011") && !text.contains("#@ card"))
    let replayed = try TapProgram.run("replay", recording, "--card", card, "--issuer-key", key)
    #expect(replayed.code == 0, "\(replayed.output)\(replayed.errors)")
    let otherKey = try TapProgram.run("replay", recording, "--card", card)
    #expect(otherKey.code == 2 && otherKey.output.contains("9F26"), "\(otherKey.output)")
    let none = try TapProgram.run("replay", recording)
    #expect(none.code == 2 && none.output.contains("--card FILE"), "\(none.output)")
    // A change of one byte of a response that is not masked is found.
    let lines = text.components(separatedBy: "\n")
    let changed = try scratch.write(
      "changed.txt",
      lines.map { $0.hasPrefix("6F") ? $0.replacingOccurrences(of: "325041592E", with: "325041592F") : $0 }
        .joined(separator: "\n"))
    let different = try TapProgram.run("replay", changed, "--card", card, "--issuer-key", key)
    #expect(different.code == 2, "\(different.output)")
  }

  @Test func `a key file that others can read is refused, and a link to it or a pipe is taken`() throws {
    let card = TapProgram.card("visa-cvn18")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: key)
    let link = scratch.path("link.key")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: key)
    for path in [key, link] {
      let open = try accept("loopback:\(card)", ["--issuer-key", path])
      #expect(open.code == 1 && open.errors.contains("\(path) has mode 640") && open.errors.contains("chmod 600"))
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    #expect(try accept("loopback:\(card)", ["--issuer-key", link]).code == 0)
    let line = "exec \"$0\" accept --reader loopback:\(card) --amount 80 --currency EUR --issuer-key <(cat \(key))"
    let pipe = try ProgramRun("bash", ["-c", line, TapProgram.path])
    #expect(try pipe.finish() == .exited(0), "\(pipe.errors)")
  }

  @Test(arguments: ["accept", "present", "replay", "test", "wallet add", "wallet replenish"])
  func `a malformed key file is an error with line and column that shows no digit of it`(_ command: String) throws {
    let file = try scratch.write("wrong.key", "# mine\ncryptogram: \(Self.digits)42\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    let card = TapProgram.card("visa-cvn18")
    let arguments: [String]
    switch command {
    case "accept": arguments = ["accept", "--reader", "loopback:\(card)", "--amount", "1", "--currency", "EUR"]
    case "present": arguments = ["present", "--link", "loopback", "--card", card]
    case "replay": arguments = ["replay", Fixtures.url("Transcripts/visa-cvn18-terminal.txt").path]
    case "test": arguments = ["test", ScenarioTests.file("visa-low-value.yaml"), "--reader", "loopback"]
    case "wallet add": arguments = ["wallet", "add", "--wallet", scratch.path("new"), "--card", card]
    default:
      arguments = ["wallet", "replenish", "--wallet", scratch.path("w"), "card"]
      let added = try TapProgram.run("wallet", "add", "--wallet", scratch.path("w"), "--card", card, "--id", "card")
      #expect(added.code == 0, "\(added.errors)")
    }
    let run = try TapProgram.finish(TapProgram.start(arguments + ["--issuer-key", file]))
    #expect(run.code == 2, "\(run.output)\(run.errors)")
    #expect(
      run.errors.contains("wrong.key: line 2, column 13: the key has 34 digits")
        && run.errors.contains("32 hexadecimal digits (16 bytes)"), "\(run.errors)")
    #expect(!(run.output + run.errors).contains("00112233"))
  }
}
