import EMVData
import EMVDecoding
import ISO7816
import Octets
import Testing

@Suite("Responses in words")
struct DecodedResponseTests {
  static func titles(_ response: String, to command: String, unmasked: Bool = false) throws -> [String] {
    DecodingContext().decoded(response: try [UInt8](hex: response), to: try [UInt8](hex: command), unmasked: unmasked)
      .all.map(\.title)
  }

  @Test func `format 1 of GET PROCESSING OPTIONS is AIP and AFL`() throws {
    let titles = try Self.titles("80063C00080202009000", to: "80A8000002830000")
    #expect(titles.contains("82 Application Interchange Profile (AIP): 3C00"))
    #expect(titles.contains("94 Application File Locator (AFL): 08020200"))
  }

  @Test func `format 1 of GENERATE AC is CID, ATC, cryptogram and issuer data`() throws {
    let titles = try Self.titles("8012 80 0001 0102030405060708 06011203A00000 9000", to: "80AE80000000")
    #expect(
      titles.suffix(5).dropLast() == [
        "9F27 Cryptogram Information Data (CID): 80", "9F36 Application Transaction Counter (ATC): 0001",
        "9F26 Application Cryptogram: 0102030405060708", "9F10 Issuer Application Data (IAD): 06011203A00000",
      ])
    #expect(try Self.titles("800100 9000", to: "80AE80000000").contains("80 Response Message Template Format 1: 00"))
  }

  @Test(arguments: [
    ("9000", "9000 normal processing"), ("6A82", "6A82 file or application not found"), ("63C2", "63C2 counter 2"),
    ("6112", "6112 18 bytes available"), ("6986", "6986 command not allowed"),
  ])
  func `A status word is put into words`(_ hex: String, _ text: String) throws {
    #expect(try Self.titles(hex, to: "00A4040000").last == "SW: \(text)")
  }

  @Test(arguments: ["", "90", "7702", "001F", "6F001234"])
  func `without a status word the response is cut off`(_ hex: String) throws {
    #expect(DecodingContext().decoded(response: try [UInt8](hex: hex)).fault != nil)
  }

  @Test func `cardholder data are masked by default`() throws {
    let record = "7026 5A084761739001010010 57114761739001010010D22122010123456789 5F2005444F452F4A" + "9000"
    let masked = try Self.titles(record, to: "00B2010C00").joined(separator: "\n")
    #expect(masked.contains("5A Application Primary Account Number (PAN): 476173******0010"))
    #expect(masked.contains("57 Track 2 Equivalent Data: 476173******0010"))
    #expect(!masked.contains("DOE") && !masked.contains("123456789"))
    let clear = try Self.titles(record, to: "00B2010C00", unmasked: true).joined(separator: "\n")
    #expect(clear.contains("4761739001010010D2212201") && clear.contains("\"DOE/J\""))
  }

  @Test func `a record that is not a template is hidden by default`() throws {
    #expect(try Self.titles("6725904415000011119000", to: "00B201BC00").contains("record: ******************"))
    #expect(
      try Self.titles("6725904415000011119000", to: "00B201BC00", unmasked: true).contains("record: 672590441500001111")
    )
  }

  @Test
  func `bytes that only look like data objects are shown as bytes, and an account number in them is hidden`()
    throws
  {
    // 47 could be a tag with length 61.
    #expect(try Self.titles("47617390010100109000", to: "00B0000000").contains("data: ****************"))
    #expect(try Self.titles("4706739001010015 9000", to: "00B0000000").contains { $0.hasPrefix("47 unknown") })
    #expect(try Self.titles("4200000000000000 9000", to: "00B0000000").first { $0.contains("data") } == nil)
    #expect(try Self.titles("47617390019000", to: "00B0000000").contains("data: 4761739001"))
    #expect(try Self.titles("DF2001809000", to: "80CADF2000").contains("DF20 unknown: 80"))
    #expect(try Self.titles("E103DF20009000", to: "00B0000000").contains("E1 unknown template"))
  }

  @Test func `log records are split by the log format`() throws {
    var context = DecodingContext()
    context.learn(
      command: try [UInt8](hex: "00A4040007A000000003101000"),
      response: try [UInt8](hex: "6F138407A0000000031010A508BF0C059F4D020B0A9000"))
    context.learn(
      command: try [UInt8](hex: "80CA9F4F00"), response: try [UInt8](hex: "9F4F109F02069F27019F1A025F2A029A039C019000"))
    #expect(context.logFile == 0x0B)
    let node = context.decoded(
      response: try [UInt8](hex: "0000000046004002500978140316209000"), to: try [UInt8](hex: "00B2015C00"))
    #expect(node.all.contains { $0.title == "9F02 Amount, Authorised (Numeric): 000000004600" })
    #expect(node.all.contains { $0.title == "9A Transaction Date: 2014-03-16" })
    #expect(node.fault == nil)
  }

  @Test func `a response fetched with GET RESPONSE is decoded as that of the first command`() throws {
    var context = DecodingContext()
    let select = try [UInt8](hex: "00A4040007A0000000031010")
    let fetch = try [UInt8](hex: "00C0000016")
    context.learn(command: select, response: try [UInt8](hex: "6116"))
    context.learn(command: fetch, response: try [UInt8](hex: "6F148407A0000000031010A5099F38069F37049A039000"))
    #expect(context.application?.description == "A0000000031010")
    #expect(context.pdol?.entries.count == 2)
  }

  @Test func `a response in several parts is kept as a whole and its parts stay bytes`() throws {
    var context = DecodingContext()
    let read = try [UInt8](hex: "00B2010C00")
    let fetch = try [UInt8](hex: "00C0000003")
    let (_, first) = context.decode(command: read, response: try [UInt8](hex: "70058C036103"))
    #expect(first.all.contains { $0.title == "part of a response: (4 bytes)" })
    let (_, rest) = context.decode(command: fetch, response: try [UInt8](hex: "9F37049000"))
    #expect(rest.all.contains { $0.title == "part of a response: (3 bytes)" })
    #expect(context.cdol1?.entries == [DataObjectList.Entry(tag: .unpredictableNumber, count: 4)])
  }

  @Test func `a command repeated after 6Cxx is counted once`() throws {
    var context = DecodingContext()
    context.learn(command: try [UInt8](hex: "00A4040000"), response: try [UInt8](hex: "6C08"))
    #expect(context == DecodingContext())
  }

  @Test func `kernel 2 has its own names for some tags`() throws {
    var context = DecodingContext()
    let record = try [UInt8](hex: "700A9F6C0200019F66020E709000")
    let read = try [UInt8](hex: "00B2010C00")
    #expect(context.decoded(response: record, to: read).description.contains("9F6C Card Transaction Qualifiers"))
    context.learn(
      command: try [UInt8](hex: "00A4040007A000000004101000"),
      response: try [UInt8](hex: "6F0B8407A0000000041010A5009000"))
    let text = context.decoded(response: record, to: read).description
    #expect(text.contains("9F6C Mag-stripe Application Version Number, card: 0001"))
    #expect(text.contains("9F66 PUNATC (Track 2): 0E70"))
  }

  @Test(arguments: [
    ("7003820200", 3, 2), ("70049F3602", 4, 2), ("70058202003C9F", 6, 2), ("DF8080800100", 0, 0), ("5A80", 1, 0),
    ("9C01009F36", 5, 1),
  ])
  func `malformed objects are shown up to the offset of the error`(_ hex: String, _ offset: Int, _ shown: Int)
    throws
  {
    let nodes = DecodedNode(dataObjects: try [UInt8](hex: hex)).all
    #expect(nodes.filter { $0.kind == .fault }.contains { $0.text.contains("offset \(offset)") })
    #expect(nodes.filter { $0.kind == DecodedNode.Kind.object }.count == shown)
  }

  @Test func `templates nested too deep are shown down to the limit`() throws {
    var nested: [UInt8] = []
    for _ in 0..<20 { nested = [0x70, UInt8(nested.count)] + nested }
    let node = DecodedNode(dataObjects: nested)
    #expect(node.fault?.text.contains("nested deeper than 8 levels") == true)
    #expect(node.all.filter { $0.kind == .object }.count == 8)
  }

  @Test func `CVM results and the CVM list have words`() throws {
    let node = DecodedNode(dataObjects: try [UInt8](hex: "9F34031F00028E0E000000000000000042031E031F00"))
    #expect(node.children[0].details == ["no CVM required, always: successful"])
    #expect(
      node.children[1].details == [
        "amount X 00000000, amount Y 00000000",
        "enciphered PIN online, if the terminal supports it, else the next rule",
        "signature, if the terminal supports it", "no CVM required, always",
      ])
  }
}
