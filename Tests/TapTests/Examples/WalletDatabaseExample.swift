import ContactlessPayment
import DeviceAuthentication
import EMVCard
import Fixtures
import PaymentSimulation
import TestSupport
import Testing
import WalletDatabase

extension ExampleTests {
  @Test func `the example of WalletDatabase continues a wallet that was set up before`() async throws {
    let scratch = try Scratch()
    let directory = scratch.path("wallet")
    let image = try CardImage(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    let keys = try TestIssuerProvisioning(uses: 3).keys(for: image)
    let device = SimulatedDevice()
    device.setPasscode("1234")
    device.enrolBiometric()

    let wallet = Wallet(store: try SQLiteWalletStore(directory: directory), device: device.ports)
    try await wallet.configure(.biometricOnly)
    try await wallet.add("visa", image, keys: keys)

    // A later process continues with the same policy and the same key of the device.
    let later = Wallet(store: try SQLiteWalletStore(directory: directory), device: device.ports)
    try await later.open()
    let card = try await later.cards()[0]
    print(card.id, "has", card.paymentsLeft, "payments left")

    #expect(card.paymentsLeft == 3)
  }
}
