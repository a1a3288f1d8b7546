import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVData
import ISO7816
import Links
import Octets
import Testing

@Suite("The facts of a payment")
struct TransactionContextTests {
  @Test func `the facts of a Visa payment come from GET PROCESSING OPTIONS`() async throws {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    _ = try await Tap.send(Tap.whole, over: loopback)
    _ = await log.drain()
    let context = try #require(log.context)
    #expect(context.amount?.description == "50.65")
    #expect(context.date?.description == "2026-01-31")
    #expect(context.type == .purchase)
    #expect(context.currencyCode == [0x09, 0x78])
    #expect(context.transactionCounter == 1)
    #expect(context.aid.description == "A0000000031010")
    #expect(context.digitalCardID == "card")
  }

  @Test(arguments: [("mastercard-cvn16", 8), ("mastercard-cvn21", 8)])
  func `the facts of a Mastercard payment come from GENERATE AC`(_ card: String, _ count: Int) async throws {
    let test = try await TestWallet(card: card)
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    _ = try await Tap.send(Tap.mastercard, over: loopback)
    _ = await log.drain()
    let context = try #require(log.context)
    #expect(context.amount?.description == "50.65")
    #expect(context.rawAmount.hex == "000000005065")
    #expect(context.date?.description == "2026-01-31")
    #expect(context.type == .refund)
    #expect(context.currencyCode == [0x09, 0x78])
    #expect(context.aid.description == "A0000000041010")
    #expect(context.kind == .applicationCryptogram(.arqc))
    #expect(context.cryptogram.count == count)
    await session.finished()
  }

  @Test func `a mag-stripe payment has its codes and no facts that the terminal did not send`() async throws {
    let test = try await TestWallet(card: "mastercard-magstripe")
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    let application = test.image.applications[0]
    let udol = try #require(application.udol)
    let values = udol.values { $0 == 0x9F7E ? [1] : [0, 0, 8, 0x99] }
    _ = try await Tap.send(
      [Tap.mastercard[0], "80A800000383010100", "802A8E80" + UInt8(values.count).hex + values.hex + "00"],
      over: loopback)
    _ = await log.drain()
    let context = try #require(log.context)
    #expect(context.kind == .cryptographicChecksum)
    #expect(context.cryptogram.count == (application.track1 == nil ? 2 : 4))
    #expect(context.amount == nil)
    #expect(context.rawAmount.isEmpty)
    #expect(context.type == nil)
    #expect(context.date == nil)
    await session.finished()
  }
}
