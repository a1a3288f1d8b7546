import Fixtures
import Foundation
import TestSupport
import Testing

@Suite("tap bench", .blocks, .timeLimit(.minutes(20)))
struct BenchTests {
  /// Those of a row with fewer than 100 times.
  static let keys: Set = ["command", "count", "min_ns", "p50_ns", "p90_ns", "max_ns", "share", "noise_ns"]

  func rows(_ run: TapProgram.Run, _ name: String) throws -> [[String: Any]] {
    #expect(run.code == 0, "\(run.errors)")
    return try #require(try run.json()[name] as? [[String: Any]])
  }

  @Test func `it reports why a tap was not approved`() throws {
    let scratch = try Scratch()
    let run = try TapProgram.run("bench", "--card", TapProgram.cardOfNoKernel(in: scratch), "--taps", "1")
    #expect(run.code == 2)
    #expect(run.errors.contains("tap 1 was not approved: end application, SELECT"), "\(run.errors)")
  }

  @Test(arguments: ["amex-mobile", "amex-magstripe", "amex-cda", "jcb-mobile", "jcb-cda"])
  func `it measures a card of every kernel`(_ card: String) throws {
    let run = try TapProgram.run("bench", "--card", TapProgram.card(card), "--taps", "3", "--format", "json")
    let commands = try rows(run, "commands").compactMap { $0["command"] as? String }
    #expect(commands.contains("GENERATE AC"), "\(commands)")
  }

  @Test func `over loopback each tap is a payment`() throws {
    let run = try TapProgram.run("bench", "--link", "loopback", "--taps", "20", "--format", "json")
    let rows = try rows(run, "commands")
    #expect(
      rows.map { $0["command"] as? String } == [
        "SELECT PPSE", "SELECT AID", "GET PROCESSING OPTIONS", "READ RECORD", "whole tap",
      ])
    #expect(rows.map { $0["count"] as? Int } == [20, 20, 20, 40, 20])
    for row in rows {
      #expect(Set(row.keys) == Self.keys)
      let figures = ["min_ns", "p50_ns", "p90_ns", "max_ns"].map { row[$0] as? Int ?? -1 }
      #expect(figures == figures.sorted() && figures[0] > 0)
    }
  }

  @Test func `over direct one armed card answers as often as there are taps`() throws {
    let card = TapProgram.card("mastercard-cvn16")
    let run = try TapProgram.run("bench", "--link", "direct", "--card", card, "--taps", "2000", "--format", "json")
    let counts = try rows(run, "commands").map { ($0["command"] as? String ?? "", $0["count"] as? Int ?? 0) }
    #expect(counts.first { $0.0 == "READ RECORD" }?.1 == 4_000)
    #expect(counts.first { $0.0 == "GENERATE AC" }?.1 == 64)
  }

  @Test func `the text has a table, the parts and a histogram`() throws {
    let run = try TapProgram.run("bench", "--link", "direct", "--taps", "1000")
    #expect(run.code == 0, "\(run.errors)")
    for text in [
      "p99.9", "whole tap", "card ", "terminal ", "whole taps: 64 measured, approved 64; repeated commands: 1000 times",
      "each tap: commands 5", "SELECT PPSE            |",
    ] {
      #expect(run.output.contains(text), "\(text) is missing in\n\(run.output)")
    }
    // No terminal, so no bar.
    #expect(!run.errors.contains("\r"))
  }

  @Test func `over vpcd the card is in a pcscd of its own, and its link takes most of the tap`() throws {
    let run = try TapProgram.run("bench", "--link", "vpcd", "--taps", "50", "--format", "json")
    let counts = try rows(run, "commands").map { $0["count"] as? Int }
    #expect(counts == [50, 50, 3, 100, 3])
    let parts = try rows(run, "parts")
    #expect(parts.map { $0["command"] as? String } == ["card", "link", "terminal"])
  }

  @Test func `a reader measures the card that is there`() throws {
    let pcscd = try IsolatedPCSCD()
    let card = try TapProgram.start(
      ["present", "--link", "vpcd:127.0.0.1:\(pcscd.port)", "--card", TapProgram.card("visa-cvn18")])
    let run = try TapProgram.finish(
      TapProgram.start(
        [
          "bench", "--reader", "pcsc:\(pcscd.readerNames[0])", "--taps", "1", "--warm-up", "0", "--timeout", "30",
          "--format", "json",
        ], environment: pcscd.environment))
    let counts = try rows(run, "commands").map { $0["count"] as? Int }
    #expect(counts == [1, 1, 1, 2, 1])
    #expect(try rows(run, "parts").map { $0["command"] as? String } == ["card and link", "terminal"])
    #expect(try TapProgram.finish(card).code == 0)
  }

  @Test func `a chip measures the card of tap lab`() throws {
    let lab = try LabProgram("pn532", "--card", TapProgram.card("visa-cvn18"), "--seed", "7")
    let run = try TapProgram.run(
      "bench", "--reader", "nfc:\(lab["connstring"])", "--taps", "1", "--warm-up", "0", "--timeout", "30",
      "--format", "json")
    let counts = try rows(run, "commands").map { $0["count"] as? Int }
    #expect(counts == [1, 1, 1, 2, 1])
    #expect(try rows(run, "parts").map { $0["command"] as? String } == ["card and link", "terminal"])
    try lab.finish()
  }

  @Test func `a chip measures the card of tap present at the other chip`() throws {
    let lab = try LabProgram("pair")
    let card = try TapProgram.start([
      "present", "--link", "nfc:\(lab["target"])", "--card", TapProgram.card("visa-cvn18"),
    ])
    let run = try TapProgram.run(
      "bench", "--reader", "nfc:\(lab["initiator"])", "--taps", "1", "--warm-up", "0", "--timeout", "30",
      "--format", "json")
    #expect(try rows(run, "commands").map { $0["count"] as? Int } == [1, 1, 1, 2, 1])
    #expect(try TapProgram.finish(card).code == 0)
    try lab.finish(SIGTERM)
  }

  @Test func `a saved result is compared, and a larger count is a regression`() throws {
    let scratch = try Scratch()
    let file = scratch.path("bench.json")
    let arguments = ["bench", "--link", "direct", "--taps", "100", "--format", "json"]
    #expect(try TapProgram.finish(TapProgram.start(arguments + ["--save", file])).code == 0)
    let second = try TapProgram.finish(TapProgram.start(arguments + ["--save", file]))
    #expect(second.code == 1 && second.errors.contains("--force"))
    let same = try TapProgram.finish(TapProgram.start(arguments + ["--compare", file]))
    #expect(same.code == 0, "\(same.errors)")
    let comparison = try #require(try same.json()["comparison"] as? [String: Any])
    #expect((comparison["latencies"] as? [[String: Any]])?.first?["beyond_noise"] is Bool)
    #expect((comparison["counts"] as? [Any])?.isEmpty == true)

    let text = try String(contentsOfFile: file, encoding: .utf8)
    let fewer = try scratch.write(
      "fewer.json",
      text.replacingOccurrences(of: #"{"name":"commands","value":5}"#, with: #"{"name":"commands","value":4}"#))
    let more = try TapProgram.finish(TapProgram.start(arguments + ["--compare", fewer]))
    #expect(more.code == 2)
    #expect(more.errors.contains("each tap: commands 5, and 4 in"), "\(more.errors)")

    let wrong = try TapProgram.run(
      "bench", "--compare", try scratch.write("wrong.json", #"{"link": "direct", "card": "A card"}"#))
    #expect(wrong.code == 2 && wrong.errors.contains(#"the key "taps" is missing"#), "\(wrong.errors)")
  }

  @Test func `a tap over links is modelled the same way each time, and no clock is asked`() throws {
    let scratch = try Scratch()
    let page = scratch.path("over.html")
    let line = ["bench", "--over", "phone,424k,acr122u", "--format", "json"]
    let runs = try [
      TapProgram.finish(TapProgram.start(line)), TapProgram.finish(TapProgram.start(line + ["--report", page])),
    ]
    #expect(runs.allSatisfy { $0.code == 0 } && runs[0].output == runs[1].output, "\(runs[0].errors)")
    #expect(try runs[0].json()["label"] as? String == "model, not measured")
    let text = try String(contentsOfFile: page, encoding: .utf8)
    for words in ["model, not measured", "What would help", "a phone at 424 kbit/s and an ACR122U", "JCAlgTest"] {
      #expect(text.contains(words), "\(words)")
    }
  }

  @Test func `a recording is laid beside the model, and the exchange that differs most is named`() throws {
    let recording = Fixtures.url("Transcripts/apple-pay-visa.txt").path
    let line = ["bench", "--over", "phone,106k", "--recording", recording]
    let card = try TapProgram.finish(TapProgram.start(line + ["--times", "card"]))
    #expect(card.code == 0 && card.output.contains("Every recorded time is within the model."), "\(card.output)")
    // Times of a sniffer leave out the frames, so they are too short for whole exchanges.
    let exchange = try TapProgram.finish(TapProgram.start(line))
    #expect(exchange.output.contains("differs most from the model in exchange 1, SELECT: "), "\(exchange.output)")
    let chip = try TapProgram.run("bench", "--over", "106k", "--recording", recording, "--times", "card")
    #expect(chip.output.contains("in exchange 2, SELECT: 22.8 ms longer"), "\(chip.output)")
  }

  @Test(arguments: [
    ["--over", "106"], ["--over", "106k,212k"], ["--recording", "x"], ["--over", "106k", "--taps", "3"],
    ["--over", "106k", "--frame", "15"], ["--over", "106k", "--times", "card"], ["--tolerance", "5"],
    ["--compare", "x", "--rounds", "9"], ["--compare", "x", "--tolerance", "101"],
  ])
  func `options that do not go together are wrong usage`(_ options: [String]) throws {
    let run = try TapProgram.finish(TapProgram.start(["bench"] + options))
    #expect(run.code == 64, "\(options): \(run.errors)")
  }

  /// A program of one line. Another process writes it: a file that this one has written is busy while it starts programs.
  static func script(_ line: String, in scratch: Scratch) throws -> String {
    let text = try scratch.write("script.txt", "#!/bin/sh\n\(line)\n")
    let copying = try ProgramRun("install", ["-m", "755", text, scratch.path("program")])
    #expect(try copying.finish() == .exited(0), "\(copying.errors)")
    return scratch.path("program")
  }

  @Test func `another build is measured in turns, and one whose card computes more is slower`() throws {
    let scratch = try Scratch()
    // The other build measures a card without a signature: the present one signs.
    let other = try Self.script(
      "exec \(TapProgram.path) \"$@\" --card \(TapProgram.card("mastercard-cvn16"))", in: scratch)
    let page = scratch.path("turns.html")
    let run = try TapProgram.run(
      "bench", "--link", "direct", "--card", TapProgram.card("mastercard-cda"), "--compare", other, "--rounds", "10",
      "--taps", "8", "--format", "json", "--report", page)
    #expect(run.code == 2, "\(run.errors)")
    let comparison = try #require(try run.json()["comparison"] as? [String: Any])
    let times = try #require(comparison["times"] as? [String: Any])
    #expect(times["in_turns"] as? Bool == true)
    let rows = try #require(times["rows"] as? [[String: Any]])
    #expect(rows.last?["name"] as? String == "whole tap" && (rows.last?["rounds"] as? [Any])?.count == 10)
    // The command that signs: the whole tap has a part that does not differ, and this machine has other work.
    let signing = try #require(rows.first { $0["name"] as? String == "GENERATE AC" })
    #expect(signing["verdict"] as? String == "slower", "\(signing)")
    #expect(try String(contentsOfFile: page, encoding: .utf8).contains("<rect class=\"earlier\""))
  }

  @Test func `two cards are measured in turns by the name of a profile, and a program that fails is named`() throws {
    let scratch = try Scratch()
    let options = ["bench", "--link", "direct", "--rounds", "10", "--taps", "4", "--compare"]
    let faster = try TapProgram.finish(
      TapProgram.start(options + [TapProgram.card("mastercard-cda"), "--card", TapProgram.card("mastercard-cvn16")]))
    #expect(
      faster.code == 0 && faster.output.contains("GENERATE AC: faster by more than 5.0 %"),
      "\(faster.output)\(faster.errors)")
    let failing = try Self.script("exit 7", in: scratch)
    let failed = try TapProgram.finish(TapProgram.start(options + [failing]))
    #expect(failed.code == 2 && failed.errors.contains("\(failing) bench ended with 7"), "\(failed.errors)")
  }

  @Test func `a saved result keeps every time, and a tolerance makes a slower tap fail`() throws {
    let scratch = try Scratch()
    let (file, table) = (scratch.path("saved.json"), scratch.path("samples.csv"))
    let card = ["--card", TapProgram.card("mastercard-cvn16")]
    let options = ["bench", "--link", "loopback", "--taps", "40"]
    let saved = try TapProgram.finish(TapProgram.start(options + card + ["--save", file, "--samples", table]))
    #expect(saved.code == 0, "\(saved.errors)")
    let rows = try String(contentsOfFile: table, encoding: .utf8).split(separator: "\n")
    #expect(rows[0] == "command,number,ns" && rows.filter { $0.hasPrefix("whole tap,") }.count == 40)
    // The saved times, a hundred times shorter.
    let kept = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: file)))
    var object = try #require(kept as? [String: Any])
    object["samples"] = try #require(object["samples"] as? [[String: Any]]).map { row in
      row.merging(["ns": (row["ns"] as? [Int] ?? []).map { $0 / 100 }]) { $1 }
    }
    let shorter = try JSONSerialization.data(withJSONObject: object)
    let fast = try scratch.write("fast.json", String(decoding: shorter, as: UTF8.self))
    let slower = try TapProgram.finish(TapProgram.start(options + card + ["--compare", fast, "--tolerance", "50"]))
    #expect(
      slower.code == 2 && slower.errors.contains("error: whole tap: slower by more than 50.0 %"), "\(slower.errors)")
    // Without a tolerance a measurement of another time does not fail by it.
    let shown = try TapProgram.finish(TapProgram.start(options + card + ["--compare", fast]))
    #expect(shown.code == 0 && shown.output.contains("measured one after the other"), "\(shown.output)\(shown.errors)")
  }

  @Test(.enabled(if: Soak.isOn)) func `of 20 comparisons of a build with itself at most one is a false alarm`() throws {
    var alarms: [String] = []
    for _ in 1...20 {
      let run = try TapProgram.run(
        "bench", "--link", "direct", "--taps", "64", "--rounds", "30", "--tolerance", "0", "--compare", TapProgram.path)
      if run.code != 0 || run.output.contains("whole tap: faster") { alarms.append(run.output + run.errors) }
    }
    #expect(alarms.count <= 1, "\(alarms)")
  }
}
