import Glibc
import ISO7816
import Links
import Octets
import ReaderSimulator
import TestSupport
import Testing

/// A simulator that runs on a thread of its own as long as its owner lives.
final class RunningSimulator: Sendable {
  let simulator: ReaderSimulator
  private let thread: DedicatedThread<Void, LinkError>

  init(
    _ layout: SimulatedField.Layout, timing: FieldTiming = FieldTiming(waitingTimeDivisor: 4),
    faults: FaultPlan = .none, card: ScriptedResponder = ChannelContract.responder()
  ) throws(LinkError) {
    let simulator = try ReaderSimulator(layout, timing: timing, faults: faults)
    self.simulator = simulator
    thread = serving(simulator, card)
  }

  func finish() throws(LinkError) {
    simulator.stop()
    try thread.join()
  }

  deinit { simulator.stop() }
}

/// Starts a program of libnfc, or of ours on top of it; a missing one fails the test.
func libnfc(_ program: String, _ arguments: [String] = [], chip: String) throws -> ProgramRun {
  try ProgramRun(program, arguments, environment: ["LIBNFC_DEVICE": chip, "LIBNFC_AUTO_SCAN": "false"])
}

private let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

/// Runs tools/oracles/nfc_exchange.py.
func exchange(_ role: String, _ chip: String, _ steps: [String] = []) throws -> ProgramRun {
  try ProgramRun("/usr/bin/python3", ["\(root)/tools/oracles/nfc_exchange.py", role, chip] + steps)
}

/// Runs tools/oracles/nfcpy_exchange.py; `tools/test` installs nfcpy, and without it the test fails.
func nfcpy(_ path: String, _ steps: [String]) throws -> ProgramRun {
  try ProgramRun("\(root)/.build/oracles/bin/python", ["\(root)/tools/oracles/nfcpy_exchange.py", path] + steps)
}

extension ProgramRun {
  /// The program's lines, once it has ended well.
  func lines() throws -> [String] {
    let ending = try finish(timeout: .seconds(30))
    try #require(ending == .exited(0), "\(output)\n\(errors)")
    return output.split(separator: "\n").map(String.init)
  }
}

/// Everything that runs in real time: one after the other, since descriptors of the whole process are counted.
@Suite(.serialized, .timeLimit(.minutes(3)))
enum RealTimeTests {}

extension RealTimeTests {
  /// The tools of libnfc, unmodified, on simulated chips.
  struct LibNFCToolTests {
    @Test func `nfc-list opens a chip in an empty field, again and again`() throws {
      let chip = try RunningSimulator(.chip)
      for _ in 0..<3 {
        let run = try libnfc("nfc-list", chip: chip.simulator.connstrings[0])
        let lines = try run.lines()
        #expect(lines.contains { $0.hasSuffix("opened") })
        #expect(!run.output.contains("passive target(s) found"))
        #expect(run.errors.isEmpty)
      }
      try chip.finish()
    }

    @Test(arguments: [
      (ProximityIdentity(), "00  04", "08  5a  c3  1e", "78  80  70  02"),
      (
        ProximityIdentity(
          identifier: [0x04, 1, 2, 3, 4, 5, 6], answerToSelect: [0x08, 0x78, 0x80, 0x70, 0x02, 0x41, 0x42, 0x43]),
        "00  44", "04  01  02  03  04  05  06", "78  80  70  02  41  42  43"
      ),
      (
        ProximityIdentity(identifier: [0x04, 1, 2, 3, 4, 5, 6, 7, 8, 9]), "00  84",
        "04  01  02  03  04  05  06  07  08  09", "78  80  70  02"
      ),
    ])
    func `nfc-list sees the card with its identifier and ATS`(
      identity: ProximityIdentity, atqa: String, identifier: String, ats: String
    ) throws {
      let chip = try RunningSimulator(.card(identity))
      let run = try libnfc("nfc-list", chip: chip.simulator.connstrings[0])
      _ = try run.lines()
      #expect(run.output.contains("1 ISO14443A passive target(s) found"))
      #expect(run.output.contains("ATQA (SENS_RES): \(atqa)"))
      #expect(run.output.contains("): \(identifier)  \n"))
      #expect(run.output.contains("SAK (SEL_RES): 20"))
      #expect(run.output.contains("ATS: \(ats)  \n"))
      try chip.finish()
    }

    @Test func `nfc-poll finds the card and sees it go`() throws {
      let chip = try RunningSimulator(.card(ProximityIdentity()))
      let run = try libnfc("nfc-poll", chip: chip.simulator.connstrings[0])
      #expect(run.wait(timeout: .seconds(20)) { $0.output.contains("Waiting for card removing") }, "\(run.errors)")
      usleep(200_000)
      #expect(run.poll() == nil)
      chip.simulator.setCoupled(false)
      _ = try run.lines()
      #expect(run.output.contains("UID (NFCID3): 08  5a  c3  1e"))
      #expect(run.output.contains("done."))
      try chip.finish()
    }

    @Test(arguments: FieldTiming.Pacing.allCases)
    func `libnfc exchanges APDUs with the card, up to what its buffers hold`(pacing: FieldTiming.Pacing) throws {
      let journal = ResponderJournal()
      let chip = try RunningSimulator(
        .card(ProximityIdentity()), timing: FieldTiming(pacing: pacing),
        card: ChannelContract.responder(journal: journal))
      // Beyond 262 octets libnfc does not answer but abort (out) or refuse (in).
      let fitting = ChannelContract.exchanges.filter { $0.command.count <= 262 && $0.response.count <= 263 }
      #expect(fitting.count == 6)
      let run = try exchange("initiator", chip.simulator.connstrings[0], fitting.map { $0.command.hex })
      let lines = try run.lines()
      #expect(lines.first == "card 0004 20 085ac31e 78807002")
      #expect(lines.dropFirst().dropLast() == fitting.map { $0.response.hex.lowercased() }[...])
      #expect(journal.commands == fitting.map(\.command))
      #expect(journal.fieldEvents.last == .lost)
      try chip.finish()
    }

    @Test func `a slow card is waited for`() throws {
      let card = ChannelContract.responder(mood: .slow(.milliseconds(300)))
      let chip = try RunningSimulator(.card(ProximityIdentity()), timing: FieldTiming(), card: card)
      let lines = try exchange("initiator", chip.simulator.connstrings[0], ["00990000", "00700000"]).lines()
      #expect(lines.dropFirst() == ["6d00", "6985", "closed"])
      try chip.finish()
    }

    @Test(arguments: [([0x08, 0x5A, 0xC3, 0x1E] as [UInt8], "0004"), ([0x04, 1, 2, 3, 4, 5, 6], "0044")])
    func `nfc-anticol collects the identifier frame by frame`(identifier: [UInt8], atqa: String) throws {
      let chip = try RunningSimulator(.card(ProximityIdentity(identifier: identifier)))
      let run = try libnfc("nfc-anticol", chip: chip.simulator.connstrings[0])
      _ = try run.lines()
      #expect(run.output.contains("UID: \(identifier.hex.lowercased())"))
      #expect(run.output.contains("ATQA: \(atqa)\n SAK: 20\n ATS: 05  78  80  70  02"))
      try chip.finish()
    }

    @Test func `a host that runs the protocol itself gets blocks, chaining and acknowledgements`() throws {
      let chip = try RunningSimulator(.card(ProximityIdentity()))
      let run = try exchange(
        "raw", chip.simulator.connstrings[0],
        [
          "e080", "d01100", "020099", "b2", "b3", "130000", "020000", "a3", "c2", "026d00",
        ])
      let lines = try run.lines()
      #expect(
        lines == [
          // Parameters are confirmed; a command gets a response; R(NAK) with the card's number gets it again, with the
          // other number R(ACK); a part of a command gets R(ACK); R(ACK) without a chain and, after S(DESELECT),
          // everything gets nothing.
          "card 0004 20 085ac31e ", "0578807002", "d0", "026d00", "026d00", "a2", "a3", "026d00", "-20", "c2", "-20",
          "closed",
        ])
      try chip.finish()
    }

    @Test func `the card is still there, is deselected, and comes back with the field`() throws {
      let chip = try RunningSimulator(.card(ProximityIdentity()))
      let run = try exchange(
        "initiator", chip.simulator.connstrings[0],
        ["presence", "00990000", "deselect", "00990000", "select", "field", "select", "select", "00990000"])
      let card = "card 0004 20 085ac31e 78807002"
      let lines = try run.lines()
      #expect(
        lines == [card, "presence 0", "6d00", "deselect 1", "-2", "select 0", card, card, "6d00", "closed"])
      try chip.finish()
    }

    @Test func `a response longer than libnfc's buffer is an error of the chip, and the next exchange works`() throws {
      let chip = try RunningSimulator(.card(ProximityIdentity()))
      let run = try exchange(
        "initiator", chip.simulator.connstrings[0], ["00B2030C000FA0", "00990000"])
      let lines = try run.lines()
      // NFC_ECHIP: the chip announces more information than the 264 octets that libnfc has room for.
      #expect(lines.dropFirst() == ["-90", "6d00", "closed"])
      try chip.finish()
    }

    @Test func `a card that is torn out is a transmission error, and an endless search one of time`() throws {
      let chip = try RunningSimulator(.card(ProximityIdentity()), faults: .at([3: .tear(absence: nil)]))
      let run = try exchange(
        "initiator", chip.simulator.connstrings[0], ["00990000", "00990000", "select", "infinite", "select"])
      let lines = try run.lines()
      // NFC_ERFTRANS, nothing found, NFC_ETIMEOUT.
      #expect(lines.dropFirst() == ["6d00", "-20", "select 0", "select -6", "closed"])
      #expect(chip.simulator.frameCounts.faulty == 1)
      try chip.finish()
    }

    @Test func `libnfc as initiator talks to libnfc as target`() throws {
      let pair = try RunningSimulator(.pair, timing: FieldTiming())
      let target = try exchange("target", pair.simulator.connstrings[1])
      #expect(target.wait(timeout: .seconds(20)) { $0.output.contains("waiting") })
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

    @Test func `a slow target asks for more time`() throws {
      let pair = try RunningSimulator(.pair, timing: FieldTiming())
      let target = try exchange("target", pair.simulator.connstrings[1], ["400"])
      #expect(target.wait(timeout: .seconds(20)) { $0.output.contains("waiting") })
      let run = try exchange("initiator", pair.simulator.connstrings[0], ["00A40400", "80CA9F36"])
      #expect(try run.lines().dropFirst() == ["0004a4009000", "369fca809000", "closed"])
      #expect(try target.lines().last == "closed")
      try pair.finish()
    }

    @Test func `nfc-emulate-forum-tag4 is read through two chips`() throws {
      let pair = try RunningSimulator(.pair, timing: FieldTiming())
      let tag = try libnfc("stdbuf", ["-oL", "nfc-emulate-forum-tag4"], chip: pair.simulator.connstrings[1])
      #expect(tag.wait(timeout: .seconds(20)) { $0.output.contains("touch it") })
      // NFC Forum Type 4 Tag, mapping version 2: application, capability container, its first 15 octets.
      let run = try exchange(
        "initiator", pair.simulator.connstrings[0],
        ["00A4040007D276000085010100", "00A4000C02E103", "00B000000F", "00A4000C02E104", "00B0000002"])
      let lines = try run.lines()
      #expect(lines.first?.hasPrefix("card 0004 20 08") == true)
      #expect(lines.dropFirst().prefix(2) == ["9000", "9000"])
      #expect(lines[3].hasPrefix("000f20") && lines[3].hasSuffix("9000"))
      #expect(lines[4] == "9000" && lines[5].hasSuffix("9000"))
      _ = try tag.finish(timeout: .seconds(20))
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
      #expect(tag.wait(timeout: .seconds(20)) { $0.output.contains("touch it") })
      let lines = try nfcpy(pair.simulator.paths[0], ["ndef"]).lines()
      #expect(lines.first?.hasSuffix("Type4Tag") == true)
      // The tag's text record.
      #expect(
        lines.contains { $0.hasPrefix("ndef d1021c5370") && $0.contains(Array("enLibnfc".utf8).hex.lowercased()) })
      _ = try tag.finish(timeout: .seconds(20))
      try pair.finish()
    }
  }
}
