import EMVCard
import EMVCryptography
import EMVData
import Fixtures
import Foundation
import ISO7816
import Octets
import Testing

/// The Visa vectors of a payment HSM. Mastercard's are for cards without a verification on the device, and this card
/// computes only with one: its codes are compared with those that the issuer computes.
@Suite("Public vectors")
struct VectorTests {
  @Test(arguments: [("VisaCVN10", 10, "03A06010"), ("VisaCVN18", 18, "03A0B800")])
  func `a card makes the cryptograms of a payment HSM`(_ name: String, _ version: Int, _ results: String) throws {
    let file = try JSONSerialization.jsonObject(with: Fixtures.data("Vectors/pyemv/vectors.json"))
    let sessions = try #require((file as? [String: Any])?["cvn_sessions"] as? [String: Any])
    let session = try #require(sessions[name] as? [String: Any])
    let vector = try #require((session["generate_ac"] as? [[String: Any]])?.first)
    let arguments = try #require(vector["args"] as? [String: String])
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    profile.applications[0].aip = try #require(arguments["tag_82"])
    profile.applications[0].cryptogram.version = version
    profile.applications[0].cryptogram.cvr = results
    profile.applications[0].records.removeLast()
    profile.applications[0].records[0].data = ["5A 1234567890123456", "5F34 00"]
    let image = try CardImage(compiling: profile)
    var card = Card(image: image)
    card.arm(try arming(for: image, counters: [0x001C]))
    _ = try card.answer(.select(name: image.applications[0].aid.octets))
    let values = try image.applications[0].pdol.entries.flatMap { entry in
      let name = "tag_" + entry.tag.description.lowercased()
      return try arguments[name].map { try [UInt8](hex: $0) } ?? [UInt8](repeating: 0, count: entry.count)
    }
    let command = try CommandAPDU(
      cla: 0x80, ins: 0xA8, p1: 0, p2: 0, data: [0x83, UInt8(values.count)] + values, expectedLength: 256)
    let answer = try card.answer(command)
    let nodes = try [TLVNode](parsing: answer.data.span, rules: .strict)
    #expect(nodes.first(.applicationCryptogram)?.value.hex == vector["out"] as? String)
  }
}
