import Links
import PCSCReader
import TestSupport
import Testing

struct ReaderSelectionTests {
  private static let names = [
    "ACS ACR122U 00 00", "ACS ACR122U 01 00", "Virtual PCD 00 00", "Virtual PCD 00 01", "virtual pcd",
    "Reader (7) ab 0A",
    "Reader (7) ab 0B",
  ]

  static let selections: [(text: String, names: [String], slots: [String])] = [
    ("ACS ACR122U 00 00", names, ["ACS ACR122U 00 00"]),
    ("acr122u 01", names, ["ACS ACR122U 01 00"]),
    ("VIRTUAL PCD 00 01", names, ["Virtual PCD 00 01"]),
    // Two slots of one device are one selection, whatever part of the name is given.
    ("VIRTUAL PCD 0", names, ["Virtual PCD 00 00", "Virtual PCD 00 01"]),
    ("reader", names, ["Reader (7) ab 0A", "Reader (7) ab 0B"]),
    ("", ["Twin 00 00", "Twin 00 01"], ["Twin 00 00", "Twin 00 01"]),
    // A full name stands for its reader, although it is also a part of other names.
    ("virtual pcd", names, ["virtual pcd"]),
    ("", ["Only One 00 00"], ["Only One 00 00"]),
    ("one", ["Twin One 00 00", "Twin One 00 00", "Two 00 00"], ["Twin One 00 00"]),
    ("one", ["Only One 00 00"], ["Only One 00 00"]),
    ("00", ["00 00"], ["00 00"]),
  ]

  @Test(arguments: selections)
  func `a name selects one reader, or the slots of one device`(
    text: String, names: [String], slots: [String]
  ) throws {
    #expect(try PCSCReaderSelection(matching: text, among: names).slots == slots)
  }

  static let failures: [(text: String, names: [String], sentence: String)] = [
    ("omnikey", names, "no reader is called \"omnikey\""),
    ("acr122u", names, "\"acr122u\" could mean several readers"),
    ("Virtual PCD", names, "\"Virtual PCD\" could mean several readers"),
    ("", names, "\"\" could mean several readers"),
    // The numbers of the device differ, and so do the names before them.
    ("test", ["Test 00 00", "Test 01 00"], "\"test\" could mean several readers"),
    ("test", ["Test 00 00", "Test Reader 00 00"], "\"test\" could mean several readers"),
    ("any", [], "no reader is connected"),
    ("", [], "no reader is connected"),
  ]

  @Test(arguments: failures)
  func `a name of no reader or of several devices is refused with the names of the readers`(
    text: String, names: [String], sentence: String
  ) {
    let failure = linkError { () throws(LinkError) in _ = try PCSCReaderSelection(matching: text, among: names) }
    #expect(failure?.code == .readerUnavailable)
    #expect(failure?.reason.contains(sentence) == true, "\(failure?.reason ?? "none")")
    let wanted = text.lowercased()
    let candidates = names.filter { wanted.isEmpty || $0.lowercased().contains(wanted) }
    let listed = names.filter { failure?.reason.contains("\"\($0)\"") == true }
    #expect(listed == (candidates.isEmpty ? names : candidates))
  }

  @Test func `the order of the readers does not change the selection`() throws {
    for text in ["virtual pcd 0", "acr122u 01"] {
      let one = try PCSCReaderSelection(matching: text, among: Self.names)
      let other = try PCSCReaderSelection(matching: text, among: Self.names.reversed())
      #expect(Set(one.slots) == Set(other.slots))
    }
  }

  #if !PCSC
    @Test func `every call of a build without PC/SC throws that the build has none`() {
      let failures = [
        linkError { () throws(LinkError) in _ = try PCSCService.readers() },
        linkError { () throws(LinkError) in _ = try PCSCChannel(reader: "any") },
        linkError { () throws(LinkError) in _ = try PCSCMonitor() },
      ]
      for failure in failures {
        #expect(failure?.code == .serviceUnavailable)
        #expect(failure?.reason.contains("built without PC/SC") == true)
      }
    }
  #endif
}
