import Foundation
import Links
import Octets
import ReaderSimulator
import TestSupport
import Testing
import USBSimulator

extension USBReaderTests {
  /// Programs of libnfc that share no code with the simulator, at readers with a chip.
  @Suite struct ChipReaderTests {
    /// A file, and the name under which nfc-list opens it.
    static let readers: [(file: String, name: String)] = [
      ("scm-scl3711", "SCM Micro / SCL3711-NFC&RW"), ("scm-scl3712", "SCM Micro / SCL3712-NFC&RW"),
      ("ask-logo", "ASK / LoGO"), ("nxp-pn533", "NXP / PN533"), ("philips-pn531", "Philips / PN531"),
      ("sony-pn531", "Sony / PN531"), ("acr122u-picc", "ACS / ACR122U PICC Interface"),
    ]

    @Test(arguments: readers)
    func `nfc-list finds a reader by itself, and the card on it`(_ row: (file: String, name: String)) throws {
      let bench = try ChipBench(.card(ProximityIdentity(identifier: [0x04, 1, 2, 3, 4, 5, 6])), [row.file])
      for _ in 0..<2 {
        let run = try bench.run("nfc-list")
        #expect(run.output.contains("NFC device: \(row.name) opened"), "\(run.output)\(run.errors)")
        #expect(run.output.contains("ATQA (SENS_RES): 00  44"), "\(run.output)\(run.errors)")
        #expect(run.output.contains("UID (NFCID1): 04  01  02  03  04  05  06"), "\(run.output)\(run.errors)")
        #expect(run.output.contains("ATS: 78  80  70  02"), "\(run.output)\(run.errors)")
      }
    }

    @Test(arguments: ["scm-scl3711", "acr122u-picc"])
    func `nfc-poll finds the card and reports its removal`(_ file: String) throws {
      let bench = try ChipBench(.card(ProximityIdentity()), [file])
      let run = try bench.start("nfc-poll", at: 0)
      #expect(run.wait(timeout: .seconds(60)) { $0.output.contains("Waiting for card removing") }, "\(run.errors)")
      bench.field.setCoupled(false)
      #expect(try run.finish() == .exited(0), "\(run.output)\(run.errors)")
      #expect(run.output.contains("UID (NFCID3): 08  5a  c3  1e"), "\(run.output)")
      #expect(run.output.contains("done."), "\(run.output)\(run.errors)")
    }

    @Test func `an SCL3711 reads the tag that nfc-emulate-forum-tag4 presents at an ACR122U`() throws {
      let bench = try ChipBench(.pair, ["scm-scl3711", "acr122u-picc"], timing: FieldTiming())
      let tag = try bench.start("stdbuf", ["-oL", "nfc-emulate-forum-tag4"], at: 1)
      #expect(tag.wait(timeout: .seconds(60)) { $0.output.contains("touch it") }, "\(tag.output)\(tag.errors)")
      let list = try bench.run("nfc-list", at: 0)
      #expect(list.output.contains("SAK (SEL_RES): 20"), "\(list.output)\(list.errors)")
      _ = try tag.finish()
    }

    @Test func `a reader that is plugged in again has a new number and works`() throws {
      let bench = try ChipBench(.card(ProximityIdentity()), ["scm-scl3711"])
      let first = bench.connstrings
      bench.bus.unplug(bench.readers[0])
      #expect(bench.connstrings.isEmpty)
      #expect(try bench.run("nfc-list").output.contains("No NFC device found."))
      try bench.bus.plug(bench.readers[0])
      #expect(bench.connstrings != first)
      let run = try bench.run("nfc-list")
      // A UID that begins with 08 is random.
      #expect(run.output.contains("UID (NFCID3): 08  5a  c3  1e"), "\(run.output)\(run.errors)")
    }

    @Test func `libusb reads the descriptors at the node`() throws {
      let bench = try ChipBench(.chip, ["scm-scl3711"])
      let run = try bench.run("lsusb", ["-v", "-d", "04e6:5591"])
      for text in ["SCL3711-NFC&RW", "bEndpointAddress     0x04  EP 4 OUT", "bEndpointAddress     0x84  EP 4 IN"] {
        #expect(run.output.contains(text), "\(text): \(run.output)\(run.errors)")
      }
    }
  }
}
