import EMVCard
import Fixtures
import Foundation
import JSON
import Octets
import PaymentSupport
import TestSupport
import Testing

/// `tap present` at a terminal that asks for more than one verification allows.
@Suite("tap present at a hostile terminal", .blocks, .timeLimit(.minutes(20)))
struct OneVerificationTests {
  private let scratch: Scratch
  private let reader = SimulatedVPCD()

  init() throws { scratch = try Scratch() }

  /// Presents a card, and runs a terminal that has it in its field. Returns how the program ended.
  private func present(_ card: String, _ terminal: () throws -> Void) throws -> TapProgram.Run {
    let run = try TapProgram.start(
      ["present", "--card", card, "--link", "vpcd:127.0.0.1:\(reader.port)", "--format", "json", "--timeout", "600"])
    try #require(reader.accept(of: run), "\(run.output)\(run.errors)")
    reader.powerOn()
    try terminal()
    reader.leave()
    return try TapProgram.finish(run)
  }

  private func powerCycle() {
    reader.powerOff()
    reader.powerOn()
  }

  /// Changes the first application of a shipped card. Returns the path of the profile.
  private func changed(_ name: String, _ change: (inout CardProfile.Application) throws -> Void) throws -> String {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/\(name).json")))
    try change(&profile.applications[0])
    return try scratch.write("card.json", String(decoding: profile.json, as: UTF8.self))
  }

  @Test func `after a Visa cryptogram the Mastercard application of the card gives none`() throws {
    let taps = CardTap.shipped.filter { $0.card == "co-badged" && !$0.isMagStripe }
    try #require(taps.count == 2)
    var responses: [String] = []
    let ended = try present(TapProgram.card("co-badged")) {
      responses += reader.responses(to: Array(taps[0].commands.prefix(3)))
      powerCycle()
      responses += reader.responses(to: taps[1].commands)
    }
    #expect(CardTap.cryptograms(in: responses).count == 1, "\(responses)")
    #expect(ended.code == 2)
    #expect(try ended.errorCode() == "furtherUseRefused")
    #expect(ended.output.contains("another application of the card"), "\(ended.output)")
  }

  @Test func `after a TC the same terminal gets no further cryptogram`() throws {
    let select = "00A4040007F000000001101000"
    let options = "80A80000238321" + "36004000000000001234000000000000" + "02760000000000097826013100" + "52BF458500"
    var responses: [String] = []
    let ended = try present(TapProgram.card("visa-fdda")) {
      for _ in 0..<2 {
        responses += reader.responses(to: [select, options])
        powerCycle()
      }
    }
    #expect(CardTap.cryptograms(in: responses).count == 1, "\(responses)")
    #expect(ended.code == 2)
    #expect(try ended.errorCode() == "furtherUseRefused")
    #expect(ended.output.contains("approved the payment without its issuer"), "\(ended.output)")
  }

  @Test func `INTERNAL AUTHENTICATE signs once for 700 different values`() throws {
    let card = try changed("mastercard-cda") { application in
      let record = try #require(application.records.firstIndex { $0.isSigned != true })
      application.records[record].data.append("9F49 9F3704")
    }
    var responses: [String] = []
    _ = try present(card) {
      _ = reader.responses(to: ["00A4040007F000000001101000", "80A8000002830000"])
      responses = reader.responses(to: (0..<700).map { "0088000004" + UInt32($0).bigEndianOctets.hex + "00" })
    }
    #expect(responses.count == 700)
    #expect(responses.count { $0.hasSuffix("9000") } == 1 && responses[0].hasSuffix("9000"))
    #expect(Set(responses.dropFirst()) == ["6985"])
  }

  @Test func `three wrong MACs of scripts end the exchange with the issuer`() throws {
    let card = try changed("mastercard-cvn21") { application in
      application.aip = "1E81"
      application.records[0].data += ["8D 910A8A0295059F3704"]
      application.schemeKeys["scripts"] = [:]
    }
    let tap = try #require(CardTap.shipped.first { $0.card == "mastercard-cvn21" && !$0.isMagStripe })
    var responses: [String] = []
    let ended = try present(card) {
      let request = reader.responses(to: tap.commands)
      #expect(CardTap.cryptograms(in: request).count == 1, "\(request)")
      responses = reader.responses(to: (0..<20).map { "841E000008" + UInt64($0).bigEndianOctets.hex })
      responses += reader.responses(to: ["008200000A" + String(repeating: "00", count: 10)])
    }
    #expect(responses.prefix(4) == ["6988", "6988", "6988", "6985"], "\(responses)")
    #expect(!responses.dropFirst(3).contains { $0 != "6985" }, "\(responses)")
    #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
  }
}
