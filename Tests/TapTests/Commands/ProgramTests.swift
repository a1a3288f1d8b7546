import Fixtures
import Foundation
import TestSupport
import Testing

@Suite("The program", .blocks, .timeLimit(.minutes(20)))
struct ProgramTests {
  static let cards = [
    "visa-cvn18", "visa-cvn10", "visa-two-accounts", "co-badged", "mastercard-cvn16", "mastercard-cvn21",
    "mastercard-magstripe", "amex-mobile", "amex-magstripe", "jcb-mobile", "discover", "unionpay",
  ]

  @Test func `tap demo prints the verdict first, each exchange with its meaning, and what to try next`() throws {
    let run = try TapProgram.run("demo")
    #expect(run.code == 0)
    #expect(
      run.output.hasPrefix("APPROVED: 12.34 EUR, cardholder verification CDCVM, 5 exchanges in "), "\(run.output)")
    for text in [
      "the card has A0000000031010 VISA DEBIT", "opens the application and asks for 9 values",
      "the card answers with ARQC ", "Application Primary Account Number (PAN)", "tap demo --verbose",
    ] { #expect(run.output.contains(text), "\(text) is missing in \(run.output)") }
    #expect(run.output.split(separator: "\n").count == 12, "\(run.output)")
  }

  @Test(arguments: cards)
  func `tap demo pays with every shipped card`(_ card: String) throws {
    let run = try TapProgram.run("demo", "--card", TapProgram.card(card))
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.hasPrefix("APPROVED: 12.34 EUR"), "\(run.output)")
  }

  @Test func `tap demo with a card that no kernel takes says so first, and ends with 1`() throws {
    let scratch = try Scratch()
    let run = try TapProgram.run("demo", "--card", TapProgram.cardOfNoKernel(in: scratch))
    #expect(run.code == 2)
    #expect(run.output.hasPrefix("END APPLICATION: 12.34 EUR"), "\(run.output)")
    let none = try TapProgram.run("demo", "--card", "/nowhere", "--format", "json")
    #expect(none.code == 1)
    #expect((try none.json()["error"] as? [String: Any])?["code"] as? String == "fileNotFound")
  }

  @Test func `tap demo --verbose prints every step in words`() throws {
    let run = try TapProgram.run("demo", "--verbose")
    #expect(run.code == 0)
    for line in ["1. SELECT PPSE  9000", "3. GET PROCESSING OPTIONS  9000", "outcome: approved", "CDCVM performed"] {
      #expect(run.output.contains(line), "\(line) is missing")
    }
  }

  @Test(arguments: cards)
  func `every shipped card is approved in one process`(_ card: String) throws {
    let run = try TapProgram.run(
      "accept", "--reader", "loopback:\(TapProgram.card(card))", "--amount", "12.34", "--currency", "978", "--format",
      "json", "--terminal", TapProgram.terminal(for: card))
    #expect(run.code == 0, "\(run.errors)")
    let report = try run.json()
    #expect(report["outcome"] as? String == "approved")
    // The terminals of Mastercard and Discover ask for no verification of small amounts, and note none.
    let isUnverified = ["mastercard", "discover"].contains { card.hasPrefix($0) }
    #expect(report["cvm"] as? String == (isUnverified ? "no CVM" : "CDCVM"))
    let exchanges = try #require(report["exchanges"] as? [[String: Any]])
    #expect((5...7).contains(exchanges.count))
    #expect(exchanges.allSatisfy { ($0["time_ns"] as? Int ?? 0) > 0 && $0["status"] as? String == "9000" })
  }

  /// Arguments after `accept --reader loopback:visa-cvn18`, exit code, outcome.
  static let outcomes: [(arguments: [String], code: Int32, outcome: String)] = [
    (["--amount", "12.34", "--currency", "EUR"], 0, "approved"),
    (["--amount", "12.34", "--currency", "eur"], 0, "approved"),
    (["--amount", "1234", "--currency", "392"], 0, "approved"),
    (["--amount", "1.234", "--currency", "KWD"], 0, "approved"),
    (["--amount", "0", "--currency", "978"], 0, "approved"),
    (["--amount", "10000", "--currency", "978"], 2, "other interface"),
    (["--amount", "12.34", "--currency", "978", "--issuer", "none"], 2, "online request"),
  ]

  @Test(arguments: outcomes.indices)
  func `outcomes and exit codes`(_ row: Int) throws {
    let (arguments, code, outcome) = Self.outcomes[row]
    let program = try TapProgram.start(
      ["accept", "--reader", "loopback:\(TapProgram.card("visa-cvn18"))", "--format", "json"] + arguments)
    let run = try TapProgram.finish(program)
    #expect(run.code == code, "\(run.errors)")
    #expect(try run.json()["outcome"] as? String == outcome)
  }

  /// Wrong usage: always 64, with a sentence on standard error.
  static let usage: [(arguments: [String], sentence: String)] = [
    (["accept"], "--reader"),
    (["accept", "--reader", "usb:x", "--amount", "1", "--currency", "978"], "usb:x"),
    (["accept", "--reader", "loopback:", "--amount", "1", "--currency", "978"], "loopback:"),
    (["accept", "--reader", "pcsc:x", "--amount", "1.234", "--currency", "978"], "3 decimals: the currency has 2"),
    (["accept", "--reader", "pcsc:x", "--amount", "1,23", "--currency", "978"], "character 2 of the amount"),
    (["accept", "--reader", "pcsc:x", "--amount", "", "--currency", "978"], "no digits"),
    (["accept", "--reader", "pcsc:x", "--amount", "99999999999.99", "--currency", "978"], "more than 12 digits"),
    (["accept", "--reader", "pcsc:x", "--amount", "1", "--currency", "999"], "does not take currency"),
    (["accept", "--reader", "pcsc:x", "--amount", "-1", "--currency", "978"], "is \"-\": digits"),
    (["accept", "--reader", "pcsc:x", "--amount", "1", "--currency", "978", "--timeout", "0"], "1...3600"),
    (["present", "--card", "x"], "--link"),
    (["present", "--link", "vpcd:localhost", "--card", "x"], "vpcd:localhost"),
    (["present", "--link", "vpcd:localhost:0", "--card", "x"], "vpcd:localhost:0"),
    (["present", "--link", "vpcd:localhost:65536", "--card", "x"], "65536"),
    (["present", "--link", "vpcd::35963", "--card", "x"], "vpcd::35963"),
    (["present", "--link", "loopback", "--card", "x", "--count", "0"], "--count 0"),
    (["present", "--link", "loopback", "--card", "x", "--policy", "none"], "none"),
    (["present", "--link", "loopback", "--card", "x", "--user", "sleep"], "sleep"),
    (["bench", "--taps", "0"], "1...10000"),
    (["bench", "--taps", "10001"], "1...10000"),
    (["bench", "--link", "direct", "--taps", "1000001"], "1...1000000"),
    (["bench", "--reader", "loopback:x"], "pcsc:NAME"),
    (["bench", "--reader", "pcsc:x", "--link", "direct"], "neither --link nor --card"),
    (["replay"], "file"),
    (["nonsense"], "nonsense"),
  ]

  @Test(arguments: usage.indices)
  func `wrong usage is 64 with a sentence`(_ row: Int) throws {
    let (arguments, sentence) = Self.usage[row]
    let run = try TapProgram.finish(TapProgram.start(arguments))
    #expect(run.code == 64)
    #expect(run.errors.contains(sentence), "\(run.errors)")
    #expect(run.output.isEmpty)
  }

  @Test func `files that are missing end with 1, and malformed or wrong ones with 2, and all name the place`() throws {
    let scratch = try Scratch()
    let notJSON = try scratch.write("a.json", "{")
    let wrong = try scratch.write(
      "b.json",
      String(decoding: Fixtures.data("Cards/visa-cvn18.json"), as: UTF8.self)
        .replacingOccurrences(of: "\"priority\": 1", with: "\"priority\": 16"))
    for (card, code, sentence) in [
      ("/nowhere/card.json", 1, "/nowhere/card.json cannot be read"), (notJSON, 2, "not JSON"),
      (wrong, 2, "applications[0].priority: 16: the range is 1...15"),
    ] {
      for arguments in [
        ["accept", "--reader", "loopback:\(card)", "--amount", "1", "--currency", "978"],
        ["present", "--link", "loopback", "--card", card], ["bench", "--card", card],
      ] {
        let run = try TapProgram.finish(TapProgram.start(arguments))
        #expect(run.code == code)
        #expect(run.errors.contains(sentence), "\(run.errors)")
      }
    }
    let terminal = try TapProgram.run(
      "accept", "--reader", "pcsc:x", "--amount", "1", "--currency", "978", "--terminal", notJSON)
    #expect(terminal.code == 2)
    #expect(terminal.errors.contains(notJSON))
  }

  @Test func `results that cannot be written end the program with 1`() throws {
    for redirection in ["> /dev/full", ">&-"] {
      let run = try TapProgram.finish(ProgramRun("sh", ["-c", "\(TapProgram.path) demo \(redirection)"]))
      #expect(run.code == 1)
      #expect(run.errors.contains("standard output cannot be written"), "\(run.errors)")
    }
  }

  @Test func `a recording that cannot be written is found before the tap`() throws {
    let run = try TapProgram.run(
      "accept", "--reader", "loopback:\(TapProgram.card("visa-cvn18"))", "--amount", "1", "--currency", "978",
      "--record", "/nowhere/tap.txt")
    #expect(run.code == 1)
    #expect(run.errors.contains("there is no directory /nowhere"))
    #expect(!run.output.contains("outcome"))
  }

  @Test func `errors before any exchange are JSON too`() throws {
    let run = try TapProgram.run(
      "accept", "--reader", "loopback:/nowhere", "--amount", "1", "--currency", "978", "--format", "json")
    #expect(run.code == 1)
    #expect(
      (try run.json()["error"] as? [String: Any])?["message"] as? String
        == "/nowhere cannot be read: No such file or directory")
  }

  /// What `tap present` does with each policy and user, on a loopback.
  static let users: [(policy: String, user: String, code: Int32, event: String)] = [
    ("biometricOnly", "approve", 0, "transactionCompleted"), ("biometricOnly", "cancel", 2, "cancelled"),
    ("biometricOnly", "fail", 2, "authenticationFailed"),
    ("biometricOnly", "no-biometrics", 2, "biometricNotEnrolled"),
    ("userPresence", "approve", 0, "transactionCompleted"), ("userPresence", "cancel", 2, "cancelled"),
    ("userPresence", "fail", 2, "authenticationFailed"),
    ("userPresence", "no-biometrics", 0, "transactionCompleted"),
  ]

  @Test(arguments: users.indices)
  func `the cardholder and the policy decide whether the card is presented`(_ row: Int) throws {
    let (policy, user, code, event) = Self.users[row]
    let run = try TapProgram.run(
      "present", "--link", "loopback", "--card", TapProgram.card("visa-cvn18"), "--policy", policy, "--user", user,
      "--format", "json")
    #expect(run.code == code, "\(run.errors)")
    let line = try run.json()
    #expect(try run.errorCode() ?? line["event"] as? String == event)
  }

  @Test func `tap present answers --count payments, each with a counter of its own`() throws {
    let run = try TapProgram.run(
      "present", "--link", "loopback", "--card", TapProgram.card("visa-cvn10"), "--count", "3", "--format", "json")
    #expect(run.code == 0)
    let lines = try run.output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(lines.map { $0["transactionCounter"] as? Int } == [1, 2, 3])
    #expect(Set(lines.compactMap { $0["cryptogram"] as? String }).count == 3)
  }

  /// Input, kind, something that must be said, exit code.
  static let decodings: [(input: [String], kind: String, text: String, code: Int32)] = [
    (["00A404000E325041592E5359532E444446303100"], "C-APDU", "SELECT", 0),
    (["00", "B2", "01", "0C", "00"], "C-APDU", "READ RECORD", 0),
    (["6986"], "R-APDU", "command not allowed", 0),
    (["3B80800101"], "ATR", "T=1", 0),
    (["9F6C020080"], "TLV", "CDCVM performed", 0),
    (["DF8A7F03010203"], "TLV", "DF8A7F", 0),
    (["9F66049F02069F03069F1A0295055F2A029A039C019F3704"], "DOL", "9F37 Unpredictable Number", 0),
  ]

  @Test(arguments: decodings.indices)
  func `tap decode names the kind of its input`(_ row: Int) throws {
    let (input, kind, text, code) = Self.decodings[row]
    let run = try TapProgram.finish(TapProgram.start(["decode"] + input))
    #expect(run.code == code)
    #expect(run.output.contains("taken for \(kind)"), "\(run.output)")
    #expect(run.output.contains(text), "\(run.output)")
  }

  @Test func `tap decode masks account numbers without --unmasked`() throws {
    let masked = try TapProgram.run("decode", "5A084761739001010010")
    #expect(masked.output.contains("476173******0010"))
    #expect(!masked.output.contains("4761739001010010"))
    #expect(try TapProgram.run("decode", "--unmasked", "5A084761739001010010").output.contains("4761739001010010"))
  }

  @Test func `tap decode reads a recorded phone from a file, to the end`() throws {
    let run = try TapProgram.run("decode", Fixtures.url("Transcripts/apple-pay-visa.txt").path)
    #expect(run.output.contains("taken for transcript"))
    #expect(run.output.contains("9F37 Unpredictable Number: 124D3DCA"), "\(run.output)")
  }
}
