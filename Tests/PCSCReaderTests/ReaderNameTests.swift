import Links
import PCSCReader
import TestSupport
import Testing

struct ReaderNameTests {
  private static let names = ["ACS ACR122U 00 00", "ACS ACR122U 01 00", "Virtual PCD 00 00", "virtual pcd"]

  static let matches: [(String, [String], String)] = [
    ("ACS ACR122U 00 00", names, "ACS ACR122U 00 00"),
    ("acr122u 01", names, "ACS ACR122U 01 00"),
    ("VIRTUAL PCD 0", names, "Virtual PCD 00 00"),
    // A full name is meant as it is, although it is also a part of another.
    ("virtual pcd", names, "virtual pcd"),
    ("", ["Only One 00 00"], "Only One 00 00"),
    ("one", ["Twin One 00 00", "Twin One 00 00", "Two 00 00"], "Twin One 00 00"),
    ("one", ["Only One 00 00"], "Only One 00 00"),
  ]

  @Test(arguments: matches)
  func `a name, or a part that only one reader has, finds the reader`(
    text: String, names: [String], expected: String
  ) throws {
    #expect(try PCSCService.reader(matching: text, among: names) == expected)
  }

  static let failures: [(String, [String], String)] = [
    ("omnikey", names, "no reader is called \"omnikey\""),
    ("acr122u", names, "\"acr122u\" could mean several readers"),
    ("Virtual PCD", names, "\"Virtual PCD\" could mean several readers"),
    ("", names, "\"\" could mean several readers"),
    ("any", [], "no reader is connected"),
    ("", [], "no reader is connected"),
  ]

  @Test(arguments: failures)
  func `an unknown or ambiguous name is an error that lists the readers`(
    text: String, names: [String], sentence: String
  ) {
    let failure = linkError { () throws(LinkError) in _ = try PCSCService.reader(matching: text, among: names) }
    #expect(failure?.code == .readerUnavailable)
    #expect(failure?.reason.contains(sentence) == true)
    let listed = names.filter { failure?.reason.contains("\"\($0)\"") == true }
    #expect(names.isEmpty || !listed.isEmpty)
    #expect(!sentence.hasPrefix("no reader is called") || listed == names)
  }

  #if !PCSC
    @Test func `a build without PC/SC says so at every door`() {
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
