import EMVCard
import EMVCryptography
import EMVData
import Fixtures
import Foundation
import ISO7816
import Octets
import Testing

/// The vectors of a payment HSM are for cards without a verification on the device, and this card computes only with
/// one. pyemv, which reproduces them, computed these for the same values and the results of a verified cardholder.
@Suite("Public vectors")
struct VectorTests {
  struct File: Decodable {
    struct Result: Decodable, Sendable, CustomTestStringConvertible {
      let version: Int
      let method: String
      let cvr: String
      let tag_9f10: String
      let out: String

      var testDescription: String { "Visa \(version), \(method)" }
    }

    let account: String
    let sequence: String
    let values: [String: String]
    let results: [Result]
  }

  static let file = Swift.Result {
    try JSONDecoder().decode(File.self, from: Fixtures.data("Vectors/verified/visa_cdcvm.json"))
  }

  @Test(arguments: try file.get().results)
  func `a Visa card reports the verification in tag 9F10 and makes the cryptogram of pyemv`(
    _ vector: File.Result
  ) throws {
    let file = try Self.file.get()
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    profile.applications[0].aip = try #require(file.values["tag_82"])
    profile.applications[0].cryptogram.version = vector.version
    profile.applications[0].cryptogram.cvr = vector.cvr
    profile.applications[0].records.removeLast()
    profile.applications[0].records[0].data = ["5A \(file.account)", "5F34 \(file.sequence)"]
    let image = try CardImage(compiling: profile)
    var card = Card(image: image)
    let method = try #require(DeviceVerificationMethod(rawValue: vector.method))
    card.arm(try arming(for: image, method: method, counters: [0x001C]))
    _ = try card.answer(.select(name: image.applications[0].aid.octets))
    let values = try image.applications[0].pdol.entries.flatMap { entry in
      if entry.tag == .terminalTransactionQualifiers { return Terminal.values[entry.tag] ?? [] }
      return try [UInt8](hex: #require(file.values["tag_" + entry.tag.description.lowercased()]))
    }
    let command = try CommandAPDU(
      cla: 0x80, ins: 0xA8, p1: 0, p2: 0, data: [0x83, UInt8(values.count)] + values, expectedLength: 256)
    let answer = try card.answer(command)
    let nodes = try [TLVNode](parsing: answer.data.span, rules: .strict)
    #expect(nodes.first(.issuerApplicationData)?.value.hex == vector.tag_9f10)
    #expect(nodes.first(.applicationCryptogram)?.value.hex == vector.out)
  }

  @Test func `a card that is armed again reports the method of its latest arming`() throws {
    var profile = try CardProfile(json: shippedJSON("visa-cvn18"))
    profile.applications[0].cryptogram.version = 22
    profile.applications[0].cryptogram.cvr = "00A0000000"
    let image = try CardImage(compiling: profile)
    let application = image.applications[0]
    var card = Card(image: image)
    for (method, first) in [(DeviceVerificationMethod.face, "84"), (.passcode, "81"), (.finger, "82")] {
      card.arm(try arming(for: image, method: method))
      _ = try card.answer(.select(name: application.aid.octets))
      let answer = try card.answer(Terminal.options(for: application.pdol))
      let data = try #require(
        try [TLVNode](parsing: answer.data.span, rules: .strict).first(.issuerApplicationData)?.value)
      #expect(VisaIssuerApplicationData(data)?.cardVerificationResults.hex == first + "A4000002")
    }
  }
}
