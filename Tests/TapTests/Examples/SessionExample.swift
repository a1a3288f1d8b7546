import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVData
import EMVTerminal
import Fixtures
import Links
import Octets
import PaymentAcceptance
import Testing
import PaymentSimulation

@testable import tap

extension ExampleTests {
  @Test func `the article of ContactlessPayment pays at a terminal`() async throws {
    let profile = [UInt8](try Fixtures.data("Cards/visa-cvn18.json"))
    let device = SimulatedDevice(user: .approve)
    device.setPasscode("1234")
    device.enrolBiometric()
    let loopback = Loopback()
    let keys = try TestIssuerProvisioning(uses: 3).keys(for: CardImage(json: profile))
    let configuration = try TerminalConfiguration(json: Fixtures.data("Terminals/attended-eur.json"))
    let request = PaymentRequest(
      amount: try Amount("12.34", exponent: 2), currency: configuration.currencies[0],
      date: TransactionDate(year: 2026, month: 11, day: 21)!, time: TransactionTime(hour: 9, minute: 30, second: 0)!)
    let terminal = DedicatedThread(named: "terminal") { () throws(LinkError) -> PaymentOutcome.Kind? in
      var channel = try loopback.connect(timeout: .seconds(600))
      let acceptance = PaymentAcceptance(
        configuration: configuration, host: NoHost(), clock: SystemClock(), random: SystemRandomSource())
      return try? acceptance.accept(request, over: &channel).outcome.kind
    }

    let wallet = Wallet(store: InMemoryWalletStore(), device: device.ports)
    try await wallet.configure(.biometricOnly)
    try await wallet.add("visa", CardImage(json: profile), keys: keys)

    let session = try await wallet.makePaymentSession()
    await session.startPayment()
    for await event in session.events {
      switch event {
      case .authenticationRequired(let action): await action.proceed()
      case .authenticationCompleted: try await session.startEmulation(on: loopback)
      case .posConnected, .posDisconnected: break
      case .transactionCompleted(let context): print("paid", context.amount as Any)
      case .errorEncountered(let error, _): print("failed:", error)
      }
    }
    await session.finished()

    #expect(try await terminal.value() == .onlineRequest)
    #expect(try await wallet.cards()[0].paymentsLeft == 2)
  }
}
