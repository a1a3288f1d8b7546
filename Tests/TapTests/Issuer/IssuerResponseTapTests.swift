import ContactlessPayment
import EMVCard
import EMVData
import EMVIssuer
import EMVTerminal
import Fixtures
import Foundation
import ISO7816
import JSON
import Links
import Octets
import PaymentAcceptance
import PaymentSimulation
import Testing

/// The whole way of an issuer's response: host, terminal, card, wallet, in one process.
@Suite("The issuer's response at a tap")
struct IssuerResponseTapTests {
  /// A Mastercard card with CDOL2 and scripts.
  private static func mastercard(aip: String = "1E81") throws -> CardImage {
    try changed("mastercard-cvn21") { application in
      application.aip = aip
      application.records[0].data += ["8D 910A8A0295059F3704"]
      application.getData = ["9F58 01"]
      application.schemeKeys["scripts"] = ["putData": ["9F58"]]
    }
  }

  /// A Visa card that takes its issuer's response in a second presentment.
  private static func visa() throws -> CardImage {
    try changed("visa-cvn10") { application in
      application.aip = "0440"
      application.ctq = "0040"
      application.schemeKeys["scripts"] = [:]
    }
  }

  private static func changed(
    _ name: String, _ change: (inout CardProfile.Application) -> Void
  ) throws -> CardImage {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/\(name).json")))
    change(&profile.applications[0])
    return try CardImage(json: profile.json)
  }

  /// A terminal that brings the issuer's response.
  private static func terminal(_ host: TestIssuerHost, clock: any MonotonicClock = SystemClock()) throws
    -> PaymentAcceptance
  {
    let configuration = try TerminalConfiguration(
      json: [UInt8](Fixtures.data("Terminals/issuer-response.json")))
    return PaymentAcceptance(configuration: configuration, host: host)
  }

  private static func order(
    _ commands: [ScriptCommand], _ moment: ScriptOrder.Moment, of image: CardImage, at host: TestIssuerHost
  ) {
    let application = image.applications[0]
    host.order(
      ScriptOrder(moment, identifier: 7, commands), accountNumber: application.accountNumber,
      sequenceNumber: application.sequenceNumber)
  }

  private static func value(_ tag: ISO7816.Tag, in receipt: PaymentReceipt) -> [UInt8]? {
    receipt.outcome.discretionaryData.first { $0.tag == tag }?.value
  }

  /// Tag 82 with and without EXTERNAL AUTHENTICATE.
  @Test(arguments: ["1E81", "1A81"])
  func `kernel 2 asks for a second cryptogram of an authenticated issuer, and sends its scripts`(_ aip: String)
    async throws
  {
    let image = try Self.mastercard(aip: aip)
    let host = TestIssuerHost(knowing: [image])
    Self.order([.putData(0x9F58, [7])], .beforeSecondCryptogram, of: image, at: host)
    Self.order([.blockApplication], .afterSecondCryptogram, of: image, at: host)
    let terminal = try Self.terminal(host)
    let request = try PaymentOrder(amount: "12.34", currency: "EUR").request(at: terminal.configuration)
    let payment = try await LoopbackPayment(image: image, leastUses: 2)
    let receipt = try await payment.run(request, at: terminal).result.get()
    #expect(receipt.outcome.kind == .approved, "\(receipt.failures)")
    #expect(
      receipt.exchanges.map { $0.command[1] }.suffix(4)
        == (aip == "1E81" ? [0x82, 0xDA, 0xAE, 0x1E] : [0xAE, 0xDA, 0xAE, 0x1E]))
    #expect(receipt.exchanges.suffix(3).allSatisfy { $0.response?.suffix(2) == [0x90, 0x00] })
    #expect(Self.value(0x9F5B, in: receipt) == [0x20, 0, 0, 0, 7, 0x20, 0, 0, 0, 7])
    // The block is in force at the next payment.
    let next = try await payment.run(request, at: terminal).result.get()
    #expect(next.outcome.kind != .approved)
  }

  @Test func `kernel 3 brings the response in a second presentment`() async throws {
    let image = try Self.visa()
    let host = TestIssuerHost(knowing: [image])
    Self.order([.blockApplication], .beforeSecondCryptogram, of: image, at: host)
    let terminal = try Self.terminal(host)
    let request = try PaymentOrder(amount: "12.34", currency: "EUR").request(at: terminal.configuration)
    let provisioned = try await ProvisionedWallet(card: image)
    let loopback = Loopback()
    let session = try await CardPresentation(wallet: provisioned.wallet).present(on: loopback)
    let receipt = try await DedicatedThread(named: "terminal") { () throws(LinkError) -> PaymentResult in
      var field = PoweredField { timeout throws(LinkError) in try loopback.connect(timeout: timeout) }
      return terminal.result(of: request, at: &field)
    }.value().get()
    loopback.stop()
    await session.finished()
    #expect(receipt.outcome.kind == .approved, "\(receipt.failures)")
    #expect(receipt.restarts.map(\.start) == [.issuerUpdate])
    #expect(receipt.exchanges.map { $0.command[1] }.suffix(3) == [0xA4, 0x82, 0x1E])
    #expect(receipt.exchanges.suffix(2).allSatisfy { $0.response == [0x90, 0x00] })
    let card = try await provisioned.wallet.cards()[0]
    #expect(card.cardState.applications[0].isBlocked && card.paymentsLeft == image.applications[0].uses - 1)
  }
}
