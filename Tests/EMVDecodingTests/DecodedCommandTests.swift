import EMVData
import EMVDecoding
import ISO7816
import Octets
import Testing

@Suite("Commands in words")
struct DecodedCommandTests {
  static func line(_ label: String, in node: DecodedNode) -> String? {
    node.all.first { $0.label == label }?.text
  }

  @Test(arguments: [
    ("00A4040007A000000003101000", "SELECT"), ("80A8000002830000", "GET PROCESSING OPTIONS"),
    ("00B2011400", "READ RECORD"),
    ("80CA9F3600", "GET DATA"), ("80AE900000", "GENERATE AC"), ("0088000004010203040 0", "INTERNAL AUTHENTICATE"),
    ("802A8E800401020304", "COMPUTE CRYPTOGRAPHIC CHECKSUM"), ("002A8E800401020304", "PERFORM SECURITY OPERATION"),
    ("80EA000004010203040 0", "EXCHANGE RELAY RESISTANCE DATA"), ("00C0000010", "GET RESPONSE"),
    ("8424000000", "PIN CHANGE/UNBLOCK"), ("0024000000", "CHANGE REFERENCE DATA"), ("FFCA000000", "GET DATA"),
    ("00FE000000", "unknown instruction"), ("FFFE000000", "unknown instruction"),
  ])
  func `the name of an instruction depends on its class`(_ hex: String, _ name: String) throws {
    #expect(DecodingContext().decoded(command: try [UInt8](hex: hex)).label == name)
  }

  @Test(arguments: [
    ("00A4040000", "04 by name", "00 first or only occurrence, FCI requested"),
    ("00A4040200", "04 by name", "02 next occurrence, FCI requested"),
    ("00A4000C00", "00 by file identifier", "0C first or only occurrence, no response requested"),
    ("00B2031C00", "03 record 3", "1C SFI 3"), ("00B2010400", "01 record 1", "04 the current file"),
    ("00B2010D00", "01 record 1", "0D SFI 1, addressing 5"), ("80AE800000", "80 ARQC", "00"),
    ("80AE500000", "50 TC, signature requested (CDA)", "00"), ("80AEC00000", "C0 reserved type", "00"),
    ("80CA9F3600", "9F", "36 data object 9F36 Application Transaction Counter (ATC)"),
    ("80CADF7F00", "DF", "7F data object DF7F unknown"), ("0020008008", "00", "80 plaintext PIN"),
  ])
  func `P1 and P2 are put into words`(_ hex: String, _ p1: String, _ p2: String) throws {
    let node = DecodingContext().decoded(command: try [UInt8](hex: hex))
    #expect(Self.line("P1", in: node) == p1)
    #expect(Self.line("P2", in: node) == p2)
  }

  @Test(arguments: [
    ("00A40000", "00 interindustry"), ("01A40000", "01 interindustry, channel 1"),
    ("80A80000", "80 proprietary"), ("84240000", "84 proprietary, proprietary secure messaging"),
    ("0C200000", "0C interindustry, secure messaging with header"),
    ("10A40000", "10 interindustry, more commands of the chain follow"), ("41A40000", "41 interindustry, channel 5"),
    ("FFCA0000", "FF for the reader (PC/SC part 3)"),
  ])
  func `the class byte is put into words`(_ hex: String, _ text: String) throws {
    #expect(Self.line("CLA", in: DecodingContext().decoded(command: try [UInt8](hex: hex))) == text)
  }

  @Test func `GPO data are split by the PDOL that was seen before`() throws {
    var context = DecodingContext()
    context.learn(
      command: try [UInt8](hex: "00A4040007A000000003101000"),
      response: try [UInt8](hex: "6F148407A0000000031010A5099F38069F37049A039000"))
    let node = context.decoded(command: try [UInt8](hex: "80A80000098307124D3DCA26013100"))
    let data = try #require(node.children.first { $0.label == "GPO data" })
    #expect(data.children.map(\.title) == ["9F37 Unpredictable Number: 124D3DCA", "9A Transaction Date: 2026-01-31"])
    #expect(data.children.map(\.range) == [7..<11, 11..<14])
    #expect(node.fault == nil)
  }

  @Test(arguments: [("80A80000058303124D3D00", "cut off"), ("80A800000A8308124D3DCA260131FF00", "left over")])
  func `values that do not fit their list are shown up to the end of the data`(_ hex: String, _ label: String) throws {
    var context = DecodingContext()
    context.learn(
      command: try [UInt8](hex: "00A4040007A000000003101000"),
      response: try [UInt8](hex: "6F148407A0000000031010A5099F38069F37049A039000"))
    let node = context.decoded(command: try [UInt8](hex: hex))
    #expect(node.all.contains { $0.label == label })
  }

  @Test func `GPO data without a known PDOL stay bytes with a remark`() throws {
    let node = DecodingContext().decoded(command: try [UInt8](hex: "80A8000006830426013100 00"))
    #expect(Self.line("GPO data", in: node) == "the PDOL was not seen: 26013100")
    #expect(DecodingContext().decoded(command: try [UInt8](hex: "80A8000002830000")).fault == nil)
  }

  @Test func `the first GENERATE AC follows CDOL1, the second CDOL2`() throws {
    var context = DecodingContext()
    let record = try [UInt8](hex: "700B8C039F37048D048A029505" + "9000")
    context.learn(command: try [UInt8](hex: "00B2010C00"), response: record)
    let first = try [UInt8](hex: "80AE8000040102030400")
    #expect(context.decoded(command: first).all.contains { $0.title == "9F37 Unpredictable Number: 01020304" })
    context.learn(command: first, response: try [UInt8](hex: "77009000"))
    let second = try [UInt8](hex: "80AE40000730300000000000 00")
    let node = context.decoded(command: second)
    #expect(node.all.contains { $0.title == "8A Authorisation Response Code: \"00\"" })
    #expect(node.fault == nil)
  }

  @Test func `INTERNAL AUTHENTICATE follows the DDOL, COMPUTE CRYPTOGRAPHIC CHECKSUM the UDOL of kernel 2`() throws {
    var context = DecodingContext()
    context.learn(
      command: try [UInt8](hex: "00A4040007A000000004101000"),
      response: try [UInt8](hex: "6F0B8407A0000000041010A5009000"))
    context.learn(
      command: try [UInt8](hex: "00B2010C00"), response: try [UInt8](hex: "700D9F49039F37049F69039F6A049000"))
    #expect(context.application?.description == "A0000000041010")
    #expect(
      context.decoded(command: try [UInt8](hex: "00880000040102030400")).all.contains {
        $0.title == "9F37 Unpredictable Number: 01020304"
      })
    #expect(
      context.decoded(command: try [UInt8](hex: "802A8E80040000012300")).all.contains {
        $0.title == "9F6A Unpredictable Number (Numeric): 00000123"
      })
  }

  @Test func `a PIN is never shown, also in malformed commands`() throws {
    for hex in [
      "0020008008241234FFFFFFFFFF", "0C200080082412341FFFFFFFFF00", "00200080FF241234", "8424000208241234FFFFFFFFFF",
      "002C000008241234FFFFFFFFFF",
    ] {
      for unmasked in [false, true] {
        let node = DecodingContext().decoded(command: try [UInt8](hex: hex), unmasked: unmasked)
        #expect(!node.description.contains("1234"), "\(hex)")
        #expect(node.all.contains { $0.kind == .secret }, "\(hex)")
      }
    }
  }

  @Test(arguments: [
    ("0020008008241234FFFFFFFFFF", "00200080080000000000000000"), ("00200080", "00200080"),
    ("0020008000", "0020008000"), ("00200080FF241234", "00200080FF000000"),
    ("00200080000003123456", "00200080000003000000"), ("00A4040002AABB", "00A4040002AABB"),
    ("80D800000212340 0", "80D8000002000000"), ("00D80000021234", "00D80000021234"),
    ("FF8200000612345678901200", "FF8200000600000000000000"), ("", ""),
  ])
  func `blanking replaces only PIN data and keys`(_ hex: String, _ blanked: String) throws {
    let once = SecretCommands.blanked(try [UInt8](hex: hex))
    #expect(once.hex == blanked)
    #expect(SecretCommands.blanked(once) == once)
  }

  @Test(arguments: ["", "00", "00A404", "00A4040007A0", "00A404000000", "00A40400000002AA"])
  func `malformed commands are shown up to the error`(_ hex: String) throws {
    let node = DecodingContext().decoded(command: try [UInt8](hex: hex))
    #expect(node.fault != nil)
    #expect(node.range == 0..<hex.count / 2)
  }

  @Test func `account numbers in commands are masked, also in bytes of unknown structure`() throws {
    for hex in ["00DC010C0A5A084761739001010010", "00E20000084761739001010010", "80A800000A83084761739001010010"] {
      let octets = try [UInt8](hex: hex)
      #expect(!DecodingContext().decoded(command: octets).description.contains("39001010"))
      #expect(DecodingContext().decoded(command: octets, unmasked: true).description.contains("4761739001010010"))
    }
  }
}
