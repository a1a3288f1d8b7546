import EMVCard
import EMVCryptography
import EMVData
import Fixtures
import Foundation
import JSON
import Testing

@Suite("Card profiles of kernels 2 and 4 to 7")
struct KernelProfileTests {
  typealias Change = @Sendable (inout CardProfile.Application) -> Void

  struct Fault: Sendable {
    let card: String
    let change: Change
    /// The path below the application and the start of the message.
    let problems: [String]

    init(_ card: String, _ problems: String..., change: @escaping Change) {
      self.card = card
      self.change = change
      self.problems = problems
    }
  }

  static let both = "mastercard-cvn16"
  static let emv = "mastercard-cvn21"
  static let stripe = "mastercard-magstripe"
  static let american = "amex-mobile"

  static let faults: [Fault] = [
    Fault(both, "ctq: no such key; there are") { $0.ctq = "0000" },
    Fault("visa-cvn18", "ctq: text is missing") { $0.ctq = nil },
    Fault("visa-cvn18", "optionsFormat: no such key", "cryptogramFormat: no such key") {
      $0.schemeKeys["optionsFormat"] = 2
      $0.schemeKeys["cryptogramFormat"] = 2
    },
    Fault(american, "relayResistance: no such key") {
      $0.schemeKeys["relayResistance"] = ["minimum": 10, "maximum": 80, "transmission": 15]
    },
    Fault("visa-cvn18", "cryptogram.system: kernel 3 takes Visa cryptograms only") {
      $0.cryptogram.system = .commonCore
    },
    Fault(both, "cryptogram.version: 18: this engine makes Mastercard cryptograms of versions 16, 17, 20, 21") {
      $0.cryptogram.version = 18
    },
    Fault(american, "cryptogram.version: 6: this engine makes common core cryptograms of versions 5") {
      $0.cryptogram.version = 6
    },
    Fault("jcb-mobile", "cryptogram.system: JCB cryptograms are in no public document") { $0.cryptogram.system = nil },
    Fault("jcb-mobile", "optionsFormat: 1: tag 9F50 needs format 2") { $0.schemeKeys["optionsFormat"] = 1 },
    Fault("jcb-mobile", "records: tag 9F50 is given by the card itself") { $0.processingOptions = ["9F50 30"] },
    Fault("jcb-mobile", "ctq: no such key; there are") { $0.ctq = "0000" },
    Fault("jcb-mobile", "offlineApproval: no terminal accepts an offline approval") {
      $0.offlineApproval = (5000, "978")
    },
    Fault(american, "cryptogram.system: American Express cryptograms are in no public document") {
      $0.cryptogram.system = nil
    },
    Fault(both, "cryptogram.cvr: 5 bytes: 6 are needed") { $0.cryptogram.cvr = "A000000000" },
    Fault(both, "cryptogram.cvr: byte 1 bits 8 to 5 must be 1010") { $0.cryptogram.cvr = "800000000000" },
    Fault(
      both,
      "cryptogram.cvr: A40000000000 presets byte 1 bit 3 (offline PIN verification performed): the card sets this "
        + "after a verification, write A00000000000"
    ) { $0.cryptogram.cvr = "A40000000000" },
    Fault(both, "cryptogram.cvr: A20000000000 presets byte 1 bit 2") { $0.cryptogram.cvr = "A20000000000" },
    Fault(
      both,
      "cryptogram.cvr: A50000300400 presets byte 1 bit 3 (offline PIN verification performed), byte 1 bit 1 (offline "
        + "PIN verification successful), byte 4 bit 6 (offline PIN verification not performed), byte 4 bit 5 (offline "
        + "PIN verification failed): the card sets this after a verification, write A00000000400"
    ) { $0.cryptogram.cvr = "A50000300400" },
    Fault("unionpay", "cryptogram.system: UnionPay cryptograms are in no public document") {
      $0.cryptogram.system = nil
    },
    Fault("discover", "cryptogram.system: Discover cryptograms are in no public document") {
      $0.cryptogram.system = nil
    },
    Fault("unionpay", "cryptogram.cvr: A008000000 presets byte 2 bit 4") { $0.cryptogram.cvr = "A008000000" },
    Fault("unionpay", "ctq: 0080 presets byte 2 bit 8 (CDCVM performed)") { $0.ctq = "0080" },
    Fault("unionpay", "ctq: text is missing") { $0.ctq = nil },
    Fault("unionpay", "fastAuthentication: 2: the range is 0...1") { $0.fastAuthentication = 2 },
    Fault("unionpay", "pdol: tag 9F66 is missing") { $0.pdol = CardProfileTests.noQualifiers },
    Fault("unionpay", "aip: byte 1 bits 8 and 1 must be 0", "aip: byte 1 promises signatures") { $0.aip = "0100" },
    Fault("discover", "ctq: no such key; there are", "fastAuthentication: no such key; there are") {
      $0.ctq = "0000"
      $0.fastAuthentication = 1
    },
    Fault("discover", "records[0].data[8]: 3 bytes: 2 are needed") { $0.records[0].data[8] = "9F71 00CB00" },
    Fault("discover", "aip: byte 1 bits 8 and 6 must be 0", "aip: byte 1 promises signatures") { $0.aip = "3800" },
    Fault(american, "cryptogram.cvr: A008000000 presets byte 2 bit 4") { $0.cryptogram.cvr = "A008000000" },
    Fault(american, "cryptogram.cvr: A004000000 presets byte 2 bit 3") { $0.cryptogram.cvr = "A004000000" },
    Fault("visa-cvn18", "cryptogram.cvr: 03A40000 presets byte 2 bit 3 (offline PIN verification performed)") {
      $0.cryptogram.cvr = "03A40000"
    },
    Fault("visa-cvn10", "cryptogram.cvr: 03A20000 presets byte 2 bit 2 (offline PIN verification failed)") {
      $0.cryptogram.cvr = "03A20000"
    },
    Fault(
      "visa-cvn18",
      "cryptogram.cvr: 82A4000002 presets byte 1 bit 8 (verifying entity), byte 1 bit 2 (verification type), byte 2 "
        + "bit 3 (CDCVM successfully performed), byte 5 bit 2 (CDCVM successfully performed): the card sets this after "
        + "a verification, write 00A0000000"
    ) {
      $0.cryptogram.version = 22
      $0.cryptogram.cvr = "82A4000002"
    },
    Fault(
      "visa-cvn18",
      "ctq: 8080 presets byte 2 bit 8 (CDCVM performed): the card sets this after a verification, write 8000"
    ) { $0.ctq = "8080" },
    Fault(
      "visa-cvn18",
      "pdol: tag 9F66 is missing: the card pays only where it states qVSDC, add 9F6604 to the list"
    ) { $0.pdol = CardProfileTests.noQualifiers },
    Fault("visa-cvn18", "pdol: tag 9F66 has length 3") { $0.pdol = "9F6603" + CardProfileTests.noQualifiers },
    Fault(american, "records: tag 9F71 is given by the card itself") { $0.processingOptions = ["9F71 010302"] },
    Fault(both, "cryptogram.further: 9 bytes: 10 are needed") {
      $0.cryptogram.further = String(repeating: "00", count: 9)
    },
    Fault(american, "cryptogram.further: 10 bytes: 23 are needed") {
      $0.cryptogram.further = String(repeating: "00", count: 10)
    },
    Fault("visa-cvn18", "cryptogram.further: 1 byte: 0 are needed") { $0.cryptogram.further = "00" },
    Fault(both, "optionsFormat: 3: the range is 1...2", "cryptogramFormat: 0: the range is 1...2") {
      $0.schemeKeys["optionsFormat"] = 3
      $0.schemeKeys["cryptogramFormat"] = 0
    },
    Fault(both, "processingOptions: format 1 has room for tags 82 and 94 only") {
      $0.schemeKeys["optionsFormat"] = 1
      $0.processingOptions = ["9F6E 2070000000"]
    },
    Fault(american, "optionsFormat: 1: tag 9F71 needs format 2") { $0.schemeKeys["optionsFormat"] = 1 },
    Fault(both, "records: tag DF4B is given by the card itself") { $0.records[1].data.append("DF4B 000000") },
    Fault(both, "records: tag 5F34 occurs more than once") { $0.records[0].data.append("5F34 01") },
    Fault(both, "aip: byte 1 bit 2 must be 1") { $0.aip = "1880" },
    Fault(both, "aip: byte 1 promises signatures: certificates in the records") { $0.aip = "1B80" },
    Fault(both, "aip: byte 1 bits 8 and 6 must be 0", "aip: byte 1 promises signatures") { $0.aip = "3A80" },
    Fault(both, "offlineApproval: no terminal accepts an offline approval of a card without signatures") {
      $0.offlineApproval = (5000, "978")
    },
    Fault(american, "aip: byte 2 bit 7 must be 1") { $0.aip = "1800" },
    Fault(both, "aip: byte 2 bit 1 and relayResistance go together") { $0.aip = "1A81" },
    Fault(emv, "aip: byte 2 bit 1 and relayResistance go together") { $0.schemeKeys["relayResistance"] = nil },
    Fault(emv, "aip: byte 2 bit 8 is 0: without EMV mode") { $0.aip = "1A01" },
    Fault(emv, "relayResistance.maximum: 65536: the range is 0...65535") {
      $0.schemeKeys["relayResistance"] = ["minimum": 10, "maximum": 65_536, "transmission": 15]
    },
    Fault(emv, "relayResistance.minimum: 81: it is above the maximum, 80") {
      $0.schemeKeys["relayResistance"] = ["minimum": 81, "maximum": 80, "transmission": 15]
    },
    Fault(both, "records: tag 8C is missing") { $0.records[2].data.removeFirst() },
    Fault(both, "records: tag 8C is not a data object list") { $0.records[2].data[0] = "8C 9F" },
    Fault(both, "records: tag 8C: tag 9F37 has length 3", "records: tag 8C: tag 95 is missing") {
      $0.records[2].data[0] = "8C 9F02069F03069F1A025F2A029A039C019F3703"
    },
    Fault(both, "records: tag 8C: 283 bytes of values: the limit is 255") {
      $0.records[2].data[0] = "8C 9F02069F03069F1A0295055F2A029A039C019F37049F4E7F9F167F"
    },
    Fault(stripe, "records: the mag-stripe mode lacks tags 9F65, 9F67") {
      $0.records[0].data.removeAll { $0.hasPrefix("9F65") || $0.hasPrefix("9F67") }
    },
    Fault(stripe, "records: the mag-stripe mode lacks tag 56") { $0.records[0].data.removeAll { $0.hasPrefix("56") } },
    Fault(emv, "records: tag 9F65 belongs to a mag-stripe mode") { $0.records[0].data.append("9F65 000E") },
    Fault(stripe, "records[0].data[6]: 4 bytes: 2 are needed", "records: the mag-stripe mode lacks tag 9F66") {
      $0.records[0].data[6] = "9F66 000007F0"
    },
    Fault(stripe, "records: tags 9F66 and 9F67 do not leave 0...8") { $0.records[0].data[8] = "9F67 08" },
    Fault(stripe, "records: tracks 1 and 2 take different numbers") { $0.records[0].data[8] = "9F67 03" },
    Fault(stripe, "records: tag 9F6B is not a track with room") { $0.records[0].data[6] = "9F66 7F00" },
    Fault(stripe, "records: tag 9F69 must ask for tag 9F6A with length 4") { $0.records[0].data[9] = "9F69 9F7E01" },
    Fault(both, "records: with a mag-stripe mode, record 1 of SFI 1") { $0.records[0].record = 2 },
    Fault(both, "records: with a mag-stripe mode, record 1 of SFI 1") {
      $0.records[1].sfi = 1; $0.records[1].record = 2
    },
    Fault(both, "records: with a mag-stripe mode, record 1 of SFI 1") { $0.records.swapAt(0, 1) },
    Fault(both, "records: tags 57 and 5A and 9F6B have different account numbers") {
      $0.records[1].data[1] = "5A 5413330089020128"
    },
  ]

  @Test(arguments: faults.indices)
  func `each problem is reported at its path`(_ row: Int) throws {
    let fault = Self.faults[row]
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/\(fault.card).json")))
    fault.change(&profile.applications[0])
    let error = #expect(throws: CardProfileError.self) { try CardImage(compiling: profile) }
    let found = error?.problems.map(\.description) ?? []
    let expected = fault.problems.map { "applications[0]." + $0 }
    let isSame = found.count == expected.count && zip(found.sorted(), expected.sorted()).allSatisfy { $0.hasPrefix($1) }
    #expect(isSame, "row \(row): \(found)")
  }

  @Test func `unknown keys are reported with all other problems`() throws {
    var text = String(decoding: try Fixtures.data("Cards/mastercard-cvn21.json"), as: UTF8.self)
    text = text.replacingOccurrences(of: "\"uses\"", with: "\"use\"")
    text = text.replacingOccurrences(of: "\"sfi\": 2", with: "\"sfi\": 2, \"sfl\": 1")
    text = text.replacingOccurrences(of: "\"maximum\": 80", with: "\"maximum\": 80, \"max\": 80")
    text = text.replacingOccurrences(of: "\"format\": ", with: "\"comment\": [{ \"x\": 1 }], \"format\": ")
    text = text.replacingOccurrences(of: "\"version\": 21", with: "\"version\": 21, \"key\": null")
    let read = #expect(throws: CardProfileError.self) { try CardProfile(json: Array(text.utf8)) }
    let unknown = [
      "comment", "applications[0].cryptogram.key", "applications[0].records[0].sfl", "applications[0].records[1].sfl",
    ]
    #expect(read?.problems.map(\.path) == unknown)
    #expect(read?.problems.first?.message == "no such key; there are $schema, format, name, applications, faults")
    text = text.replacingOccurrences(of: "\"priority\": 1", with: "\"priority\": 16")
    let compiled = #expect(throws: CardProfileError.self) { try CardImage(json: Array(text.utf8)) }
    let ofScheme = ["applications[0].priority", "applications[0].relayResistance.max", "applications[0].use"]
    #expect(compiled?.problems.map(\.path).sorted() == (unknown + ofScheme).sorted())
  }

  @Test func `every key that a profile writes is one that it reads`() throws {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/mastercard-cvn21.json")))
    profile.applications[0].ctq = "0000"
    profile.applications[0].cryptogram.system = .commonCore
    profile.applications[0].cryptogram.further = ""
    profile.applications[0].issuerDiscretionary = []
    profile.applications[0].processingOptions = []
    #expect(try CardProfile(json: profile.json) == profile)
  }

  @Test func `Visa version 22 and common core with kernel 2 compile`() throws {
    var visa = try CardProfile(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    visa.applications[0].cryptogram.version = 22
    visa.applications[0].cryptogram.cvr = "00A0000000"
    let image = try CardImage(compiling: visa)
    #expect(image.applications[0].cryptogramVersion == .visa22)
    var mastercard = try CardProfile(json: [UInt8](Fixtures.data("Cards/mastercard-cvn16.json")))
    mastercard.applications[0].cryptogram.system = .commonCore
    mastercard.applications[0].cryptogram.version = 5
    mastercard.applications[0].cryptogram.cvr = "A000000000"
    #expect(try CardImage(compiling: mastercard).applications[0].cryptogramVersion == .commonCore5)
  }
}
