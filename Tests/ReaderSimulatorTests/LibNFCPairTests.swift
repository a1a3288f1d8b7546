import Links
import Octets
import ReaderSimulator
import TestSupport
import Testing

extension RealTimeTests {
  /// Programs at both chips of a pair: libnfc as target, libnfc or nfcpy as initiator.
  struct LibNFCPairTests {
    @Test func `libnfc as initiator talks to libnfc as target`() throws {
      let pair = try RunningSimulator(.pair, timing: FieldTiming())
      let target = try exchange("target", pair.simulator.connstrings[1])
      #expect(target.wait(timeout: .seconds(60)) { $0.output.contains("waiting") })
      let commands = [
        [0x00, 0xA4, 0x04, 0x00], [UInt8](1...60), [UInt8](1...61), [UInt8](0...254), [UInt8](repeating: 7, count: 262),
      ]
      let run = try exchange("initiator", pair.simulator.connstrings[0], commands.map { $0.hex })
      let answers = commands.map { (Array($0.reversed().prefix(256)) + [0x90, 0x00]).hex.lowercased() }
      #expect(try run.lines() == ["card 0004 20 08abcdef 75339203414243"] + answers + ["closed"])
      let expected =
        ["waiting", "activated 0"] + commands.map { "command \($0.hex.lowercased())" } + ["ended -10", "closed"]
      #expect(try target.lines() == expected)
      try pair.finish()
    }

    @Test func `libnfc aborts its role as a card and is a reader at once`() throws {
      let chip = try RunningSimulator(.card(ProximityIdentity()))
      let lines = try exchange("abort", chip.simulator.connstrings[0]).lines()
      // NFC_EOPABORTED.
      #expect(lines == ["ended -7", "card 0004 20 085ac31e 78807002", "closed"])
      try chip.finish()
    }

    @Test func `a slow target asks for more time`() throws {
      let pair = try RunningSimulator(.pair, timing: FieldTiming())
      let target = try exchange("target", pair.simulator.connstrings[1], ["400"])
      #expect(target.wait(timeout: .seconds(60)) { $0.output.contains("waiting") })
      let run = try exchange("initiator", pair.simulator.connstrings[0], ["00A40400", "80CA9F36"])
      #expect(try run.lines().dropFirst() == ["0004a4009000", "369fca809000", "closed"])
      #expect(try target.lines().last == "closed")
      try pair.finish()
    }

    @Test(arguments: UInt64(0)..<3)
    func `libnfc gets correct answers or an error while one frame in twenty is wrong`(seed: UInt64) throws {
      let faults = FieldFaultPlan.random(seed: seed, [(.drop, 25), (.corrupt, 25)], sparesActivation: true)
      let pair = try RunningSimulator(.pair, timing: FieldTiming(waitingTimeDivisor: 8), faults: faults)
      let target = try exchange("target", pair.simulator.connstrings[1])
      #expect(target.wait(timeout: .seconds(60)) { $0.output.contains("waiting") })
      let commands = (0..<40).map { fieldCommand(20 + $0 * 6, seed: $0) }
      let lines = try exchange("initiator", pair.simulator.connstrings[0], commands.map { $0.hex }).lines()
      #expect(lines.first == "card 0004 20 08abcdef 75339203414243" && lines.last == "closed")
      // After an error, the exchanges of libnfc are out of step until the card is selected again.
      let answers = lines.dropFirst().dropLast().prefix { !$0.hasPrefix("-") }
      #expect(!answers.isEmpty)
      for (answer, command) in zip(answers, commands) {
        #expect(answer == (command.reversed().prefix(256) + [0x90, 0x00]).hex.lowercased())
      }
      #expect(try target.lines().last == "closed")
      #expect(pair.simulator.frameCounts.faulty > 0)
      try pair.finish()
    }

    @Test func `nfc-emulate-forum-tag4 is read through two chips`() throws {
      let pair = try RunningSimulator(.pair, timing: FieldTiming())
      let tag = try libnfc("stdbuf", ["-oL", "nfc-emulate-forum-tag4"], chip: pair.simulator.connstrings[1])
      #expect(tag.wait(timeout: .seconds(60)) { $0.output.contains("touch it") })
      // NFC Forum Type 4 Tag, mapping version 2: application, capability container, its first 15 bytes.
      let run = try exchange(
        "initiator", pair.simulator.connstrings[0],
        ["00A4040007D276000085010100", "00A4000C02E103", "00B000000F", "00A4000C02E104", "00B0000002"])
      let lines = try run.lines()
      #expect(lines.first?.hasPrefix("card 0004 20 08") == true)
      #expect(lines.dropFirst().prefix(2) == ["9000", "9000"])
      #expect(lines[3].hasPrefix("000f20") && lines[3].hasSuffix("9000"))
      #expect(lines[4] == "9000" && lines[5].hasSuffix("9000"))
      _ = try tag.finish(timeout: .seconds(60))
      #expect((tag.output + tag.errors).contains("Target Released"))
      try pair.finish()
    }

    @Test func `nfcpy, which runs the protocol itself, exchanges APDUs with the card`() throws {
      let chip = try RunningSimulator(.card(ProximityIdentity()), timing: FieldTiming())
      let fitting = ChannelContract.exchanges.filter { $0.command.count <= 5 && $0.response.count <= 258 }
      #expect(fitting.count == 4)
      let lines = try nfcpy(chip.simulator.paths[0], fitting.map { $0.command.hex }).lines()
      #expect(lines == ["card 085ac31e Type4Tag"] + fitting.map { $0.response.hex.lowercased() } + ["closed"])
      try chip.finish()
    }

    @Test func `nfcpy reads nfc-emulate-forum-tag4 through two chips`() throws {
      let pair = try RunningSimulator(.pair, timing: FieldTiming())
      let tag = try libnfc("stdbuf", ["-oL", "nfc-emulate-forum-tag4"], chip: pair.simulator.connstrings[1])
      #expect(tag.wait(timeout: .seconds(60)) { $0.output.contains("touch it") })
      let lines = try nfcpy(pair.simulator.paths[0], ["ndef"]).lines()
      #expect(lines.first?.hasSuffix("Type4Tag") == true)
      // The tag's text record.
      #expect(
        lines.contains { $0.hasPrefix("ndef d1021c5370") && $0.contains(Array("enLibnfc".utf8).hex.lowercased()) })
      _ = try tag.finish(timeout: .seconds(60))
      try pair.finish()
    }
  }
}
