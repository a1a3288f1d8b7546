import Fixtures
import Foundation
import TestSupport
import Octets
import Testing
import Transcripts

/// `tap card` and `tap terminal`, as their users run them.
@Suite("tap card and tap terminal", .blocks, .timeLimit(.minutes(20)))
struct ProfileCommandTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Scheme, account number with its check digit.
  static let cards = [
    ("visa", "4761739001010119"), ("mastercard", "5413330089010012"), ("amex", "374245002731007"),
    ("jcb", "3530111333300018"), ("discover", "6011111111111117"), ("unionpay", "6221260000000000"),
  ]

  @Test(arguments: cards)
  func `a new card has the name and the number that its author gives, and pays`(_ scheme: String, _ number: String)
    throws
  {
    let file = scratch.path("own.json")
    let new = try TapProgram.run("card", "new", "--scheme", scheme, "--name", "Own", "--number", number, "-o", file)
    #expect(new.code == 0, "\(new.errors)")
    #expect(new.errors.contains("tap accept --reader loopback:\(file)"))
    #expect(!new.errors.contains("--terminal"))
    let check = try TapProgram.run("card", "check", file)
    #expect(check.code == 0)
    #expect(check.output == "\(file): a card profile without problems: 1 application\n")
    let show = try TapProgram.run("card", "show", "--unmasked", file)
    #expect(show.output.hasPrefix("Own: 1 application\n"))
    #expect(show.output.contains("account number \(number)"), "\(show.output)")
    let isPublic = ["visa", "mastercard"].contains(scheme)
    #expect(show.output.contains("it proves the flow, not the scheme") != isPublic, "\(show.output)")
    let paid = try TapProgram.run(
      "accept", "--reader", "loopback:\(file)", "--amount", "12.34", "--currency", "EUR", "--format", "json")
    #expect(try paid.json()["outcome"] as? String == "approved", "\(paid.errors)")
  }

  /// Scheme, and the last commands of the payment.
  @Test(arguments: [("visa", ["A4", "82"]), ("mastercard", ["82", "AE"])])
  func `a new card that takes its issuer's response gets it from the terminal of the printed line`(
    _ scheme: String, _ commands: [String]
  ) throws {
    let file = scratch.path("online.json")
    let new = try TapProgram.run("card", "new", "--scheme", scheme, "--issuer-response", "-o", file)
    #expect(new.errors.contains("--terminal Fixtures/Terminals/issuer-response.json"), "\(new.errors)")
    let paid = try TapProgram.run(
      "accept", "--reader", "loopback:\(file)", "--amount", "12.34", "--currency", "EUR", "--terminal",
      TapProgram.terminal("issuer-response"), "--format", "json", "--record", scratch.path("tap.txt"))
    #expect(try paid.json()["outcome"] as? String == "approved", "\(paid.errors)\(paid.output)")
    let recorded = try Transcript(parsing: String(contentsOfFile: scratch.path("tap.txt"), encoding: .utf8))
    #expect(recorded.exchanges.map { [$0.command[1]].hex }.suffix(2) == commands)
    #expect(recorded.exchanges.suffix(1).allSatisfy { $0.response?.suffix(2) == [0x90, 0x00] })
  }

  @Test(arguments: ["visa", "mastercard"])
  func `a new card with a long key signs, and its terminal fetches the response in parts`(_ scheme: String) throws {
    let file = scratch.path("long.json")
    let new = try TapProgram.run("card", "new", "--scheme", scheme, "--oda", "--key-bits", "1968", "-o", file)
    #expect(new.code == 0, "\(new.errors)")
    let paid = try TapProgram.run(
      "accept", "--reader", "loopback:\(file)", "--amount", "12.34", "--currency", "EUR", "--terminal",
      TapProgram.terminal("offline"), "--format", "json", "--record", scratch.path("long.txt"))
    #expect(try paid.json()["outcome"] as? String == "approved", "\(paid.errors)\(paid.output)")
    let recorded = try Transcript(parsing: String(contentsOfFile: scratch.path("long.txt"), encoding: .utf8))
    #expect(recorded.exchanges.contains { $0.response == [0x61, 0x00] })
    #expect(recorded.exchanges.contains { $0.command.starts(with: [0x00, 0xC0]) })
    let decoded = try TapProgram.run("decode", scratch.path("long.txt"))
    #expect(
      decoded.output.contains("signature (9F4B), \(scheme == "visa" ? "fDDA" : "CDA"): right"), "\(decoded.output)")
    let measured = try TapProgram.run("bench", "--link", "direct", "--card", file, "--taps", "30")
    #expect(measured.code == 0, "\(measured.errors)")
  }

  @Test(arguments: cards.map(\.0))
  func `a new card signs, and the default terminal approves offline`(_ scheme: String) throws {
    let file = scratch.path("signing.json")
    let new = try TapProgram.run("card", "new", "--scheme", scheme, "--oda", "-o", file)
    #expect(new.code == 0, "\(new.errors)")
    let paid = try TapProgram.run(
      "accept", "--reader", "loopback:\(file)", "--amount", "12.34", "--currency", "EUR", "--format", "json",
      "--issuer", "none")
    #expect(try paid.json()["outcome"] as? String == "approved", "\(paid.errors)\(paid.output)")
    #expect((try paid.json()["dataAuthentication"] as? [String: Any])?["result"] as? String == "passed")
  }

  @Test func `a size of the key without a key is refused`() throws {
    let new = try TapProgram.run("card", "new", "--scheme", "visa", "--key-bits", "1968")
    #expect(new.code == 64 && new.errors.contains("--key-bits needs --oda"), "\(new.errors)")
  }

  @Test(arguments: ["496", "1984", "520", "0", "-16"])
  func `a key of a size that the test authority does not sign is refused`(_ bits: String) throws {
    let new = try TapProgram.run("card", "new", "--scheme", "visa", "--oda", "--key-bits=\(bits)")
    #expect(new.code == 64 && new.errors.contains("512 to 1968 is needed, a multiple of 16"), "\(new.errors)")
  }

  /// What is replaced in the profile of a shipped card, by what, and the place and the reason.
  static let implausible = [
    (
      "mastercard-cvn16", "5413330089020110", "4761739001010119", "applications[0].records",
      "Mastercard begin with 2, 5, 6"
    ),
    ("visa-cvn18", "4761739001010010", "5413330089010012", "applications[0].records", "Visa begin with 4"),
    ("visa-cvn18", "\"name\": \"", "\"name\": \"\\u0007", "name", "control character"),
  ]

  @Test(arguments: implausible)
  func `a card that no wallet takes, or with a number of another scheme, is a problem`(
    _ card: String, _ old: String, _ new: String, _ place: String, _ reason: String
  ) throws {
    let profile = try String(contentsOfFile: TapProgram.card(card), encoding: .utf8)
    let changed = profile.replacingOccurrences(of: old, with: new)
    #expect(changed != profile)
    let file = try scratch.write("card.json", changed)
    let run = try TapProgram.run("card", "check", file)
    #expect(run.code == 2, "\(run.output)\(run.errors)")
    #expect(run.output.contains("\(file):") && run.output.contains("\(place): "), "\(run.output)")
    #expect(run.output.contains(reason), "\(run.output)")
  }

  @Test func `the lines that come next have the path as one word of the shell`() throws {
    let file = scratch.path("o'wn card.json")
    let new = try TapProgram.run("card", "new", "--scheme", "visa", "-o", file)
    let lines = new.errors.split(separator: "\n").filter { $0.hasPrefix("  tap ") }
    #expect(lines.count == 2, "\(new.errors)")
    for line in lines {
      let command = "\(TapProgram.path) \(line.dropFirst("  tap ".count))"
      let run = try ProgramRun("sh", ["-c", command])
      #expect(try run.finish() == .exited(0), "\(line): \(run.errors)")
    }
  }

  @Test func `a number that is no test card's is masked unless it is asked for`() throws {
    let file = scratch.path("own.json")
    _ = try TapProgram.run("card", "new", "--scheme", "mastercard", "--number", "5555555555554444", "-o", file)
    let show = try TapProgram.run("card", "show", file)
    #expect(show.code == 0)
    for digits in ["5555555555554444", "35353535353535353535353534343434"] { #expect(!show.output.contains(digits)) }
    #expect(try TapProgram.run("card", "show", "--unmasked", file).output.contains("5555555555554444"))
  }

  @Test func `a card is shown with its data objects decoded`() throws {
    let run = try TapProgram.run("card", "show", TapProgram.card("visa-cvn18"))
    #expect(run.code == 0, "\(run.errors)")
    for text in [
      "A0000000031010 \"VISA DEBIT\", kernel visa, priority 1", "account number 4761739001010010", "Visa CVN 18",
      "  9F66 Terminal Transaction Qualifiers (TTQ), 4", "5F24", "9F6C",
    ] { #expect(run.output.contains(text), "\(text) is missing in \(run.output)") }
  }

  @Test func `all problems of a profile are named at once, each with line and column`() throws {
    let profile = try String(contentsOfFile: TapProgram.card("visa-cvn18"), encoding: .utf8)
    let wrong =
      profile.replacingOccurrences(of: "\"priority\": 1", with: "\"priority\": 99")
      .replacingOccurrences(of: "\"label\"", with: "\"lable\"")
    let file = try scratch.write("wrong.json", wrong)
    let run = try TapProgram.run("card", "check", file)
    #expect(run.code == 2)
    #expect(run.output.contains("\(file):8:19: applications[0].priority: 99: the range is 1...15"), "\(run.output)")
    #expect(run.output.contains("applications[0].label: text is missing"))
    #expect(
      run.output.contains("\(file):7:7: applications[0].lable: no such key; did you mean label?"), "\(run.output)")
    #expect(run.output.hasSuffix("\(file): 3 problems\n"))
    let report = try TapProgram.run("card", "check", "--format", "json", file)
    #expect(report.code == 2)
    let problems = try #require(report.json()["problems"] as? [[String: Any]])
    #expect(problems.count == 3)
    #expect(problems.compactMap { $0["line"] as? Int }.count == 3)
  }

  @Test func `several files are checked in one run, and an unreadable one ends it with 1`() throws {
    let wrong = try scratch.write("wrong.json", "{")
    let both = try TapProgram.run("card", "check", TapProgram.card("visa-cvn10"), wrong)
    #expect(both.code == 2)
    #expect(both.output.contains("without problems") && both.output.contains("\(wrong):1:2: not JSON"))
    let none = try TapProgram.run("card", "check", "/nonexistent", TapProgram.card("visa-cvn10"))
    #expect(none.code == 1)
    #expect(none.errors.contains("/nonexistent cannot be read") && none.output.contains("without problems"))
    let cps = try TapProgram.run("card", "check", Fixtures.url("Cards/cps-visa.txt").path)
    #expect(cps.code == 0, "\(cps.errors)")
  }

  @Test func `a new terminal has the names that its author gives, takes a payment, and is shown with its defaults`()
    throws
  {
    let file = scratch.path("terminal.json")
    let new = try TapProgram.run(
      "terminal", "new", "--name", "own", "--merchant", "OWN SHOP", "--country", "040", "-o", file)
    #expect(new.code == 0, "\(new.errors)")
    let check = try TapProgram.run("terminal", "check", file)
    #expect(check.output == "\(file): a terminal profile without problems: 5 AIDs, EUR, USD, GBP, CHF, JPY, KWD, CLF\n")
    let paid = try TapProgram.run(
      "accept", "--terminal", file, "--reader", SendTests.visa, "--amount", "1", "--currency", "EUR", "--format", "json"
    )
    #expect(try paid.json()["outcome"] as? String == "approved", "\(paid.errors)")
    let show = try TapProgram.run("terminal", "show", file)
    for text in ["name: OWN SHOP", "countryCode: 040", "extendedSelection: false (default)", "qualifiers: 36004000"] {
      #expect(show.output.contains(text), "\(text) is missing in \(show.output)")
    }
  }

  @Test(arguments: [
    ("USD", "USD", "12.34"), ("sek", "SEK", "12.34"), ("398", "KZT", "12.34"), ("JPY", "JPY", "12"),
    ("048", "BHD", "1.234"),
  ])
  func `a new terminal takes the currency that its author names, with both schemes`(
    _ code: String, _ letters: String, _ amount: String
  ) throws {
    let file = scratch.path("terminal.json")
    let new = try TapProgram.run("terminal", "new", "--currency", code, "-o", file)
    #expect(new.code == 0, "\(new.errors)")
    let check = try TapProgram.run("terminal", "check", file)
    #expect(check.output == "\(file): a terminal profile without problems: 5 AIDs, \(letters)\n")
    for card in ["visa-cvn18", "mastercard-cvn21"] {
      let reader = "loopback:\(TapProgram.card(card))"
      let paid = try TapProgram.accept(
        reader, amount: amount, currency: code, ["--terminal", file, "--format", "json"])
      #expect(try paid.json()["outcome"] as? String == "approved", "\(paid.errors)")
    }
  }

  @Test(arguments: ["USD", "GBP", "CHF"])
  func `the shipped terminal takes dollars, pounds and francs`(_ currency: String) throws {
    for card in ["visa-cvn18", "mastercard-cvn21"] {
      let paid = try TapProgram.accept("loopback:\(TapProgram.card(card))", amount: "80", currency: currency)
      #expect(paid.code == 0 && paid.output.contains("80.00 \(currency)"), "\(paid.output)\(paid.errors)")
    }
  }

  /// Arguments, exit code, and what the message names.
  static let mistakes: [(arguments: [String], code: Int32, names: [String])] = [
    (["card"], 0, []),
    (["card", "new"], 64, ["--scheme"]),
    (["card", "new", "--scheme", "vsia"], 64, ["vsia", "did you mean visa?", "mastercard"]),
    (["card", "new", "--scheme", "rupay"], 64, ["rupay", "visa, mastercard, amex, jcb"]),
    (["card", "new", "--scheme", "jcb"], 0, []),
    (["card", "new", "--scheme", "visa", "--number", "4761739001010010"], 0, []),
    (["card", "new", "--scheme", "visa", "--number", "4761739001010011"], 64, ["--number", "check digit"]),
    (["card", "new", "--scheme", "visa", "--number", "476173900101"], 64, ["--number", "12", "16 digits"]),
    (["card", "new", "--scheme", "visa", "--number", "47617390010100xx"], 64, ["--number"]),
    (["card", "new", "--scheme", "visa", "--name", ""], 64, ["name", "0 characters", "1...64"]),
    (["card", "new", "--scheme", "visa", "-o", "/nonexistent/x.json"], 1, ["/nonexistent"]),
    (["card", "new", "--scheme", "visa", "-o", ""], 64, ["-o"]),
    (["card", "check"], 64, ["<file>"]),
    (["card", "check", "/"], 1, ["/ cannot be read", "directory"]),
    (["card", "check", "/nonexistent"], 1, ["/nonexistent", "No such file"]),
    (["card", "show", "/nonexistent"], 1, ["/nonexistent", "No such file"]),
    (["card", "show", "/dev/null"], 2, ["/dev/null"]),
    (["card", "keys", "--format", "xml"], 64, ["xml", "schema"]),
    (["terminal", "new", "--country", "1"], 64, ["countryCode", "\"1\"", "3 decimal digits"]),
    (["terminal", "new", "--currency", "XYZ"], 64, ["\"XYZ\"", "ISO 4217"]),
    (["terminal", "new", "--currency", "000"], 64, ["\"000\"", "ISO 4217"]),
    (["terminal", "new", "--merchant", ""], 64, ["merchant.name", "1 to 40"]),
    (["terminal", "new", "--name", ""], 64, ["name", "a name is needed"]),
    (["terminal", "check", "/nonexistent"], 1, ["/nonexistent", "No such file"]),
    (["terminal", "show", "/dev/null"], 2, ["/dev/null", "the end of the text"]),
  ]

  @Test(arguments: mistakes.indices)
  func `a mistake has its exit code, and its message on standard error names place and value`(_ row: Int) throws {
    let (arguments, code, names) = Self.mistakes[row]
    let run = try TapProgram.finish(TapProgram.start(arguments))
    #expect(run.code == code, "\(arguments): \(run.output)\(run.errors)")
    for name in names { #expect(run.errors.contains(name), "\(arguments): \(run.errors)") }
    if code != 0 { #expect(run.output.isEmpty, "\(arguments): \(run.output)") }
  }
}
