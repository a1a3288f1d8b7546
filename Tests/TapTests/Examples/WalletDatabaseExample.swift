import ContactlessPayment
import EMVCard
import Fixtures
import PaymentSimulation
import TestSupport
import Testing
import WalletDatabase

extension ExampleTests {
  @Test func `the example of WalletDatabase spends one use in a durable store`() throws {
    let scratch = try Scratch()
    let directory = scratch.path("wallet")
    let image = try CardImage(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    let keys = try TestIssuerProvisioning(uses: 3).keys(for: image)

    let store = try SQLiteWalletStore(directory: directory)
    try store.add("visa", image, keys: keys, threshold: 2)
    let uses = try store.reserve("visa")
    let (reservation, counter) = (uses.id, uses.counters[0])
    try store.settle(reservation, spent: [0])
    let card = try SQLiteWalletStore(directory: directory).cards()[0]
    print(card.id, "paid with counter", counter, "and has", card.paymentsLeft, "payments left")

    #expect(card.paymentsLeft == 2)
  }
}
