import Glibc
import ISO7816
import Links
import Octets
import ReaderSimulator
import TestSupport
import Testing

extension RealTimeTests {
  /// The unmodified tools of libnfc at simulated chips.
  struct LibNFCToolTests {
    @Test func `nfc-list opens a chip in an empty field three times`() throws {
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

    @Test func `nfc-list sees a card of type B with its identifier`() throws {
      let chip = try RunningSimulator(.cardOfTypeB(TypeBIdentity()))
      let run = try libnfc("nfc-list", chip: chip.simulator.connstrings[0])
      _ = try run.lines()
      #expect(run.output.contains("1 ISO14443B passive target(s) found"), "\(run.output)")
      #expect(run.output.contains("PUPI: 50  5a  c3  1e  \n"), "\(run.output)")
      #expect(run.output.contains("Protocol Info: 00  81  81  \n"), "\(run.output)")
      #expect(!run.output.contains("ISO14443A"))
      try chip.finish()
    }

    @Test func `nfc-poll finds the card and reports its removal`() throws {
      let chip = try RunningSimulator(.card(ProximityIdentity()))
      let run = try libnfc("nfc-poll", chip: chip.simulator.connstrings[0])
      #expect(run.wait(timeout: .seconds(60)) { $0.output.contains("Waiting for card removing") }, "\(run.errors)")
      usleep(200_000)
      #expect(run.poll() == nil)
      chip.simulator.setCoupled(false)
      _ = try run.lines()
      #expect(run.output.contains("UID (NFCID3): 08  5a  c3  1e"))
      #expect(run.output.contains("done."))
      try chip.finish()
    }

    @Test(arguments: FieldTiming.Pacing.allCases)
    func `libnfc exchanges APDUs with the card up to the size of its buffers`(pacing: FieldTiming.Pacing) throws {
      let journal = ResponderJournal()
      let chip = try RunningSimulator(
        .card(ProximityIdentity()), timing: FieldTiming(pacing: pacing),
        card: ChannelContract.responder(journal: journal))
      // libnfc aborts the process for a command above 262 bytes, and refuses a response above 263.
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

    @Test func `libnfc waits for a slow card`() throws {
      let card = ChannelContract.responder(pace: .slow(.milliseconds(300)))
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

    @Test func `a host that runs ISO-DEP itself gets blocks, chaining and acknowledgements`() throws {
      // A waiting time of seconds, so that the card does not ask for more time on a busy machine.
      let chip = try RunningSimulator(.card(ProximityIdentity(answerToSelect: [0x05, 0x78, 0x80, 0xE0, 0x02])))
      let run = try exchange(
        "raw", chip.simulator.connstrings[0],
        [
          "e080", "d01100", "020099", "b2", "b3", "130000", "020000", "a3", "c2", "026d00",
        ])
      let lines = try run.lines()
      #expect(
        lines == [
          // Parameters are confirmed. A command gets its response. R(NAK) with the card's number gets the response
          // again, with the other number R(ACK). A part of a command gets R(ACK). R(ACK) without a chain, and every
          // block after S(DESELECT), gets no response.
          "card 0004 20 085ac31e ", "057880e002", "d0", "026d00", "026d00", "a2", "a3", "026d00", "-20", "c2", "-20",
          "closed",
        ])
      try chip.finish()
    }

    @Test func `a card is present, is deselected, and is found again with the field`() throws {
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

    @Test func `a response above libnfc's buffer is an error, and the next exchange works`() throws {
      let chip = try RunningSimulator(.card(ProximityIdentity()))
      let run = try exchange(
        "initiator", chip.simulator.connstrings[0], ["00B2030C000FA0", "00990000"])
      let lines = try run.lines()
      // NFC_ECHIP: the chip announces more data than the 264 bytes of libnfc's buffer.
      #expect(lines.dropFirst() == ["-90", "6d00", "closed"])
      try chip.finish()
    }

    @Test func `a removed card is a transmission error, and an endless search a timeout`() throws {
      let chip = try RunningSimulator(.card(ProximityIdentity()), faults: .at([3: .tear(absence: nil)]))
      let run = try exchange(
        "initiator", chip.simulator.connstrings[0], ["00990000", "00990000", "select", "infinite", "select"])
      let lines = try run.lines()
      // NFC_ERFTRANS, no card, NFC_ETIMEOUT.
      #expect(lines.dropFirst() == ["6d00", "-20", "select 0", "select -6", "closed"])
      #expect(chip.simulator.frameCounts.faulty == 1)
      try chip.finish()
    }
  }
}
