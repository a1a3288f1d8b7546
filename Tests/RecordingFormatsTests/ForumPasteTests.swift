import Fixtures
import Foundation
import RecordingFormats
import Testing
import Transcripts

/// Logs as people paste them into public reports; `Fixtures/Transcripts/Pasted/README.md` names the form of each.
@Suite("Pasted logs of public reports")
struct ForumPasteTests {
  private static let select = PublicLogTests.selection
  private static let directory = PublicLogTests.directory
  private static let application = "00A4040007A000000003101000"
  private static let information =
    "6F358407A0000000031010A52A500A564953412044454249548701019F38189F66049F02069F03069F1A0295055F2A029A039C019F37049000"
  private static let read = "00B2010C00"
  private static let record = "701A5F24033012315A0847617390010100105F280202769F0702C0809000"

  /// The commands and responses of each file, in turn.
  static let rows: [(file: String, apdus: [String])] = [
    ("devnied.txt", [select, directory, read, "6A83"]),
    ("androidcrypto.txt", [select, directory, application, information]),
    ("keycard.txt", [select, directory, application, information]),
    (
      "apdutool.txt",
      ["00A4040009A00000006203010801", "9000", "80B800000AA00000006203010C0401", "6443", read, "7001009000"]
    ),
    ("cmdarrow.txt", [select, "6700", application, "6700"]),
    ("openscold.txt", [select, directory, read, "6A83"]),
    ("openscwin.txt", [select, "6A82"]),
    ("cardpeekcut.txt", ["00B2020C00", "6A83", "80CA9F3600", "9F3602000E9000"]),
    ("pm3apdu.txt", [select, directory, read, "6A83"]),
    ("pm3old.txt", [select, "6700", read, record]),
    ("freerdp.txt", [select, directory]),
    ("nxpnci.txt", [select, directory, read, "6A83"]),
    ("ykman.txt", [select, directory, read, "6A83"]),
    ("scdaemon.txt", [select, directory, read, "6A83"]),
    ("scdaemon2.txt", [select, directory, read, "6A83"]),
    ("libnfcacr.txt", [select, directory, read, "6A83"]),
    ("pivtool.txt", [select, directory, read, "6A83"]),
    ("pcscdthread.txt", [select, directory, read, "6A83"]),
    ("pyscard.txt", [select, directory, read, "6A83"]),
    ("pybytes.txt", [select, directory, read, "6A83"]),
    ("pybytes2.txt", [application, information]),
    ("nsdata13.txt", [select, directory, read, "torn"]),
    ("csharp.txt", [select, directory, read, "6A83"]),
    ("jcshell.txt", ["00A4040008A00000000300000000", "6F108408A000000003000000A5049F6501FF9000", read, "6A83"]),
    (
      "gpshell.txt",
      [
        "00A4040008A000000003000000", "6F108408A000000003000000A5049F6501FF9000", "84F280000A4F000102030405060708",
        "6A88",
      ]
    ),
    ("mdtable.txt", [select, directory, read, "6A83"]),
    ("htmlent.txt", [select, directory, read, "6A83"]),
    ("logcat.txt", [select, directory, read, "6A83"]),
    ("gscriptor.txt", [select, directory, read, "6A83"]),
    ("desfire.txt", []),
    ("sim.txt", ["A0A40000023F00", "9F17", "A0C0000017", "0000006B3F000100000000000A93040A0400838A838A009000"]),
    ("hardwrap.txt", [select, directory, read, record]),
    ("crlfnbsp.txt", [select, directory, read, "6A83"]),
    ("zwsp.txt", [select, directory, read, "6A83"]),
    ("parties.txt", [select, directory, read, "6A83"]),
    ("parties2.txt", [select, directory, read, "6A83"]),
    ("parties3.txt", [select, directory, read, "6A83"]),
    ("cr.txt", [select, directory, read, "6A83"]),
    ("cr2.txt", [select, directory, read, "6A83"]),
    ("jsonl.txt", [select, directory, read, "6A83"]),
    ("jsonl2.txt", [select, directory, read, "6A83"]),
    ("jsonarr.txt", [select, directory, read, "6A83"]),
    ("xml.txt", [select, directory, read, "6A83"]),
    ("oneline.txt", [select, directory, read, "6A83"]),
    ("oneline2.txt", [select, directory, read, "6A83"]),
    ("oneline3.txt", [read, "6A83", application, "6A82"]),
    ("yaml.txt", [select, directory, read, "6A83"]),
    ("multi.txt", [select, directory, read, "6A83"]),
    ("swwords.txt", [select, directory, read, "6A83"]),
    ("emvnfcapp.txt", [select, directory, read, "6A83"]),
    ("hydrabus.txt", ["00A4040002AABB00", "6700"]),
    ("chameleon.txt", [select, directory, read, "6A83"]),
    ("padded.txt", [select, "6A82"]),
    ("ciscript.txt", [select, directory]),
    ("german.txt", [select, directory, read, "6A83"]),
    ("german2.txt", [select, directory, read, "6A83"]),
    ("chinese.txt", [select, directory, read, "6A83"]),
    ("chinese2.txt", [select, directory, read, "6A83"]),
    ("spanish.txt", [select, directory, read, "6A83"]),
    ("french.txt", [select, directory, read, "6A83"]),
    ("russian.txt", [select, directory, read, "6A83"]),
    ("named.txt", [select, directory, read, "6A83"]),
    ("named2.txt", [select, directory, read, "6A83"]),
    ("described.txt", [select, directory, read, "6A83"]),
    ("sw12.txt", [select, directory, read, "6A83"]),
    ("tsv.txt", [select, directory, read, "6A83"]),
    ("eq.txt", [select, directory, read, "6A83"]),
    ("transceive.txt", [select, directory, read, "6A83"]),
    ("transceive2.txt", [select, directory, read, "6A83"]),
    ("kernelish.txt", [select, directory, read, "6A83"]),
    ("comments.txt", [select, directory, read, "6A83"]),
    ("prefix0x.txt", [select, directory, read, "6A83"]),
    ("fence.txt", [select, directory, read, "6A83"]),
    ("bullets.txt", [select, directory, read, "6A83"]),
    ("tapdump.txt", [select, directory, read, "6A83"]),
    ("emptylines.txt", [select, directory, read, "6A83"]),
    ("index.txt", [select, directory, read, "6A83"]),
    ("sw-only.txt", [read, "6A83", application, "6A82"]),
    ("errors.txt", [read, "6A83"]),
    ("console2.txt", [select, directory, read, "6A83"]),
  ]

  @Test(arguments: rows.indices)
  func `each paste gives its commands and responses`(_ row: Int) throws {
    let (file, apdus) = Self.rows[row]
    let octets = try ToolImportTests.octets("Transcripts/Pasted/\(file)")
    guard !apdus.isEmpty else {
      #expect(RecordingFormat.guess(octets) != .log, "\(file)")
      return
    }
    let imported = try ImportedTranscript(parsing: octets)
    #expect(
      ToolImportTests.apdus(imported.transcript) == apdus, "\(file): \(imported.transcript.text)\(imported.notes)")
    #expect(try Transcript(parsing: imported.transcript.text) == imported.transcript)
  }

  @Test(arguments: rows.indices)
  func `each paste that is written line by line gives the same exchanges`(_ row: Int) throws {
    let (file, apdus) = Self.rows[row]
    // A live log is not searched for other formats and blocks, nor for lines that go on with half a byte.
    let isOther = ["chameleon.txt", "hardwrap.txt", "hydrabus.txt", "libnfcacr.txt"].contains(file)
    guard !isOther, !apdus.isEmpty else { return }
    var log = LiveLog()
    for line in try ToolImportTests.octets("Transcripts/Pasted/\(file)").split(separator: 0x0A) {
      try log.append(line + [0x0A])
    }
    try log.finish()
    #expect(ToolImportTests.apdus(log.transcript) == apdus, "\(file): \(log.transcript.text)")
  }

  @Test func `each file has its row`() throws {
    #expect(try Set(Fixtures.names(in: "Transcripts/Pasted", ending: ".txt")) == Set(Self.rows.map(\.file)))
  }
}
