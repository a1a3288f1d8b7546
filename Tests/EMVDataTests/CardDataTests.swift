import EMVData
import ISO7816
import Octets
import Testing

@Suite("FCI and issuer application data")
struct CardDataTests {
  // The phone of Fixtures/Vectors/proxmark3.
  static let phoneDirectory = "6F2A840E325041592E5359532E4444463031A518BF0C1561134F07A00000000310108701019F0A0400010101"
  static let phoneApplication =
    "6F428407A0000000031010A5379F381B9F66049F02069F03069F1A0295055F2A029A039C019F37049F4E14BF0C169F5A053109780826"
    + "BF6304DF2001809F0A0400010101"
  // The co-badged card of Fixtures/Vectors/devnied/LockedCard.txt.
  static let cobadgedDirectory =
    "6F57840E325041592E5359532E4444463031A545BF0C4261104F07A0000000421010500243428701019F2A080300000000000000"
    + "61184F07A0000000031010500A564953412044454249548701029F2A080300000000000000"

  @Test func `the directory of a phone names one application`() throws {
    let fci = try FileControlInformation(parsing: [UInt8](hex: Self.phoneDirectory))
    #expect(fci.dfName == FileControlInformation.ppseName)
    let entry = try #require(fci.directory.first)
    #expect(fci.directory.count == 1)
    #expect(entry.adfName.description == "A0000000031010")
    #expect(entry.priority == 1)
    #expect(entry.kernelIdentifier == [])
    #expect(entry.label == nil)
    #expect(fci.pdol == nil)
  }

  @Test func `the directory of a co-badged card names two applications in order`() throws {
    let fci = try FileControlInformation(parsing: [UInt8](hex: Self.cobadgedDirectory))
    #expect(fci.directory.map(\.label) == ["CB", "VISA DEBIT"])
    #expect(fci.directory.map(\.priority) == [1, 2])
    // This card has tag 9F2A next to the entries and not in them.
    #expect(fci.directory.map(\.kernelIdentifier) == [[], []])
  }

  @Test func `the answer to SELECT contains the PDOL`() throws {
    let fci = try FileControlInformation(parsing: [UInt8](hex: Self.phoneApplication))
    #expect(fci.dfName.hex == "A0000000031010")
    #expect(fci.label == nil)
    #expect(try DataObjectList(parsing: #require(fci.pdol)).valueCount == 53)
    #expect(fci.directory.isEmpty)
  }

  static let refused: [(String, FileControlInformation.Fault)] = [
    ("", .missing(.fciTemplate)), ("7700", .missing(.fciTemplate)), ("6F00", .missing(.dfName)),
    ("6F02A500", .missing(.dfName)), ("6F078405A000000003", .missing(.fciProprietaryTemplate)),
    ("6F0A8405", .malformed(TLVError(.valueTooLong(stated: 10, available: 2), at: 1))),
    ("6F108405A0000000038405A000000004A500", .duplicate(.dfName)),
    ("6F0B8405A000000003A500A500", .duplicate(.fciProprietaryTemplate)),
    ("6F138405A000000003A50A9F38029F379F38029F37", .duplicate(.pdol)),
    ("6F0F8405A000000003A506BF0C00BF0C00", .duplicate(.fciIssuerDiscretionaryData)),
  ]

  @Test(arguments: refused)
  func `an FCI that a terminal cannot use throws its fault`(_ hex: String, _ fault: FileControlInformation.Fault) throws
  {
    let octets = try [UInt8](hex: hex)
    #expect(throws: fault) { try FileControlInformation(parsing: octets) }
    #expect(!fault.description.isEmpty)
  }

  @Test func `entries without an application name are left out`() throws {
    let fci = try FileControlInformation(
      parsing: [UInt8](hex: "6F1C840E325041592E5359532E4444463031A50ABF0C076103870101 6100"))
    #expect(fci.directory.isEmpty)
  }

  @Test func `issuer application data of both Visa layouts are read`() throws {
    let standard = try #require(VisaIssuerApplicationData([UInt8](hex: "06011203A00000")))
    #expect(standard.layout == .standard)
    #expect(standard.derivationKeyIndex == 0x01)
    #expect(standard.cryptogramVersionNumber == 18)
    #expect(standard.cardVerificationResults.hex == "03A00000")
    let phone = try #require(
      VisaIssuerApplicationData(
        [UInt8](hex: "1F4A6332A0000000000100302730000000040000000000000000000000000000")))
    #expect(phone.layout == .format2)
    #expect(phone.cryptogramVersionNumber == 0x4A)
    #expect(phone.derivationKeyIndex == 0x63)
    #expect(phone.cardVerificationResults.hex == "32A0000000")
  }

  @Test func `Visa issuer application data are written and read back`() throws {
    let written = VisaIssuerApplicationData.standard(
      derivationKeyIndex: 2, cryptogramVersionNumber: 10, cardVerificationResults: [0x03, 0xA0, 0x20, 0x00])
    let read = try #require(VisaIssuerApplicationData(written))
    #expect(read.derivationKeyIndex == 2)
    #expect(read.cryptogramVersionNumber == 10)
    #expect(read.cardVerificationResults == [0x03, 0xA0, 0x20, 0x00])
  }

  @Test(arguments: ["", "06", "060112", "06011203A000", "1F4A6332A00000", "0110A00000000000000000", "07011203A00000"])
  func `other layouts are not read as Visa's`(_ hex: String) throws {
    #expect(VisaIssuerApplicationData(try [UInt8](hex: hex)) == nil)
  }

  @Test(
    arguments: [(0x00, .aac), (0x40, .tc), (0x80, .arqc), (0x8F, .arqc), (0xC0, nil)] as [(UInt8, CryptogramType?)])
  func `the cryptogram's type is in its information data`(_ octet: UInt8, _ type: CryptogramType?) {
    #expect(CryptogramType(cryptogramInformationData: octet) == type)
    if let type { #expect(CryptogramType(cryptogramInformationData: type.cryptogramInformationData) == type) }
  }

  @Test(
    arguments: [
      ("03A00000", .arqc), ("03900000", .tc), ("03800000", .aac), ("03B00000", nil), ("03", nil), ("", nil),
    ] as [(String, CryptogramType?)])
  func `the type of a Visa cryptogram is in the card verification results`(_ hex: String, _ type: CryptogramType?)
    throws
  {
    #expect(CryptogramType(visaCardVerificationResults: try [UInt8](hex: hex)) == type)
  }
}
