import Fixtures
import Foundation
import TestSupport
import Testing

/// A purchase of which a part is paid out in cash: by `tap accept`, in recordings and in scenarios.
@Suite("Cashback", .blocks, .timeLimit(.minutes(20)))
struct CashbackTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func accept(_ further: String..., card: String = "visa-cvn18") throws -> TapProgram.Run {
    try TapProgram.finish(
      TapProgram.start(
        ["accept", "--reader", "loopback:\(TapProgram.card(card))", "--amount", "30.00", "--currency", "EUR"] + further)
    )
  }

  @Test(arguments: ["visa-cvn18", "mastercard-cvn16"])
  func `the card and the host receive both amounts and the type`(_ card: String) throws {
    let run = try accept("--cashback", "10.00", "--format", "json", card: card)
    #expect(run.code == 0, "\(run.errors)")
    let report = try run.json()
    #expect(report["outcome"] as? String == "approved")
    #expect(report["amount"] as? String == "30.00" && report["cashback"] as? String == "10.00")
    let data = try #require((report["cryptogram"] as? [String: Any])?["data"] as? [String: String])
    #expect(data["9F02"] == "000000003000" && data["9F03"] == "000000001000" && data["9C"] == "09")
    let exchanges = try #require(report["exchanges"] as? [[String: Any]])
    #expect(exchanges.contains { ($0["command"] as? String)?.contains("000000003000000000001000") == true })
  }

  /// The type, further arguments, tag 9C, and what stands behind the amount.
  @Test(
    arguments: [
      ("purchase", [], "00", ""), ("cash", [], "01", ", cash"), ("refund", [], "20", ", refund"),
      ("cashback", ["--cashback", "10.00"], "09", ", of which 10.00 cashback"),
      ("purchase", ["--cashback", "10.00"], "00", ", of which 10.00 cashback"),
    ] as [(String, [String], String, String)])
  func `the type of a payment reaches card and host, and its recording replays`(
    _ type: String, _ further: [String], _ code: String, _ words: String
  ) throws {
    let file = scratch.path("tap.txt")
    let arguments = ["--amount", "30.00", "--currency", "EUR", "--type", type] + further
    let card = "loopback:\(TapProgram.card("visa-cvn18"))"
    let run = try TapProgram.finish(
      TapProgram.start(["accept", "--reader", card, "--record", file] + arguments))
    #expect(run.output.contains("\namount: 30.00 EUR\(words)\n"), "\(run.output)\(run.errors)")
    let again = try TapProgram.finish(
      TapProgram.start(["accept", "--reader", "replay:\(file)", "--format", "json"] + arguments))
    let data = try #require((try again.json()["cryptogram"] as? [String: Any])?["data"] as? [String: String])
    #expect(data["9C"] == code)
    #expect(try TapProgram.run("replay", file).code == 0)
  }

  @Test func `in words; and without cashback nothing is said of it, and the payment is a purchase`() throws {
    let with = try accept("--cashback", "10")
    #expect(with.output.contains("\namount: 30.00 EUR, of which 10.00 cashback\n"), "\(with.output)")
    let without = try accept()
    #expect(without.output.contains("\namount: 30.00 EUR\n"), "\(without.output)")
    let report = try accept("--format", "json").json()
    let data = try #require((report["cryptogram"] as? [String: Any])?["data"] as? [String: String])
    #expect(report["cashback"] == nil && data["9F03"] == "000000000000" && data["9C"] == "00")
  }

  @Test(arguments: [
    (["--type", "cashback"], "cashback: a payment of type cashback needs the part that is paid out"),
    (["--type", "refund", "--cashback", "1"], "cashback: a transaction of type refund has no cashback"),
    (["--type", "gift"], "The value 'gift' is invalid for '--type <type>'"),
  ])
  func `a type that does not fit is wrong usage`(_ arguments: [String], _ sentence: String) throws {
    let run = try accept(
      arguments[0], arguments[1], arguments.count > 2 ? "\(arguments[2])=\(arguments[3])" : "--quiet")
    #expect(run.code == 64 && run.errors.contains(sentence), "\(run.errors)")
  }

  /// Arguments, and a part of the error.
  static let refusals: [([String], String)] = [
    (["--cashback", "30.01"], "cashback: the cashback is more than the whole amount"),
    (["--cashback", "0.00"], "cashback: the cashback is 0.00: leave it out"),
    (["--cashback", "1.234"], "cashback: the amount has 3 decimals: the currency has 2"),
    (["--cashback", "ten"], "cashback: character 1 of the amount is \"t\""),
    (["--cashback", ""], "cashback: the amount has no digits"),
    (["--cashback", "10", "--terminal", TapProgram.terminal("unattended-kiosk")], "the terminal pays out no cashback"),
  ]

  @Test(arguments: refusals)
  func `an invalid cashback is wrong usage, or a problem of the scenario, before any tap`(
    _ arguments: [String], _ sentence: String
  ) throws {
    let run = try TapProgram.finish(
      TapProgram.start(["accept", "--reader", "pcsc:absent", "--amount", "30", "--currency", "EUR"] + arguments))
    #expect(run.code == 64 && run.output.isEmpty)
    #expect(run.errors.contains(sentence), "\(run.errors)")
    guard !arguments[1].isEmpty else { return }
    let terminal = arguments.count > 2 ? "terminal: \(arguments[3])\n" : ""
    let file = try scratch.write(
      "wrong.yaml",
      "name: A\namount: 30\ncurrency: EUR\ncashback: \(arguments[1])\n\(terminal)expect: {cvm: CDCVM}\n")
    let test = try TapProgram.run("test", file, "--check")
    #expect(test.code == 2 && test.output.isEmpty)
    let reason = sentence.replacingOccurrences(of: "cashback: ", with: "")
    #expect(test.errors.contains("wrong.yaml: the scenario has 1 problem:"), "\(test.errors)")
    #expect(test.errors.contains("line 4, column 1, $.cashback: \(reason)"), "\(test.errors)")
  }

  @Test func `a recording keeps it, replays with it, and differs without; with and without directives`() throws {
    let file = scratch.path("tap.txt")
    #expect(try accept("--cashback", "10.00", "--record", file).code == 0)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.contains("\n#@ cashback: 10.00\n") && text.contains("\n#@ type: 09\n"), "\(text)")
    #expect(try TapProgram.run("replay", file).code == 0)
    let bare = text.split(separator: "\n").filter { !$0.hasPrefix("#@") }.joined(separator: "\n")
    let replayed = try TapProgram.run("replay", try scratch.write("bare.txt", bare + "\n"))
    #expect(replayed.code == 0, "\(replayed.output)")
    let changed = text.replacingOccurrences(of: "#@ cashback: 10.00", with: "#@ cashback: 10.01")
    let other = try TapProgram.run("replay", try scratch.write("changed.txt", changed))
    #expect(other.code == 2 && other.output.contains("9F03"), "\(other.output)")
    let again = ["accept", "--reader", "replay:\(file)", "--amount", "30.00", "--currency", "EUR"]
    #expect(try TapProgram.finish(TapProgram.start(again)).code == 2)
    #expect(try TapProgram.finish(TapProgram.start(again + ["--cashback", "10.00"])).code == 0)
  }

  @Test func `a scenario with cashback names it, passes, and its recording passes again`() throws {
    let file = Fixtures.url("Scenarios/visa-cashback.yaml").path
    let check = try TapProgram.run("test", file, "--check")
    #expect(check.output.contains("30.00 EUR with 10.00 cashback, 1 tap\n"), "\(check.output)")
    let directory = scratch.path("recordings")
    let run = try TapProgram.run("test", file, "--reader", "loopback", "--record", directory)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    let recording = "\(directory)/01-visa-cashback-0001.txt"
    #expect(try TapProgram.run("test", file, "--reader", "replay:\(recording)").code == 0)
    #expect(try TapProgram.run("replay", recording).code == 0)
    let without = try scratch.write(
      "without.yaml",
      String(decoding: Fixtures.data("Scenarios/visa-cashback.yaml"), as: UTF8.self)
        .replacingOccurrences(of: "cashback: 10.00\n", with: "")
        .replacingOccurrences(of: "../Cards/", with: Fixtures.url("Cards").path + "/"))
    let failed = try TapProgram.run("test", without, "--reader", "loopback")
    #expect(failed.code == 2, "\(failed.errors)")
    for element in ["9F03", "9C"] { #expect(failed.output.contains(": \(element) "), "\(failed.output)") }
  }
}
