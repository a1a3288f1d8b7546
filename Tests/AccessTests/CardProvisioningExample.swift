import AccessMessages
import AccessServer
import CardProvisioning
import ContactlessPayment
import DeviceAuthentication
import Fixtures
import Foundation
import MobileAuthentication
import TestSupport
import Testing
import WalletAccess

/// The example of the article of CardProvisioning.
@Suite(.timeLimit(.minutes(20)))
struct CardProvisioningExample {
  @Test func `the article of CardProvisioning adds a card and follows the issuer`() async throws {
    let template = try CardTemplate(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")), prefix: "999999")
    try await RunningServer.run(cards: [template]) { server in
      let test = try TestClient(server)
      let directory = test.scratch.directory.path
      let device = AuthenticationDevice(ports: test.device.ports, protection: .simulated)
      let access = try WalletAccess(
        server: server.url, device: device, http: test.exchange, store: test.store, integrity: SimulatedIntegrity())
      let enrolment = UserEnrolmentCoordinator(access)
      _ = try await enrolment.register(WalletExample.form, requirements: try await enrolment.requirements())

      let deliveries = DeliveryFile(path: directory + "/deliveries.json", issuer: access.server)
      let service = CardService(WalletConnection(access), deliveries: deliveries)
      let wallet = Wallet(store: InMemoryWalletStore(), device: device.ports, replenishment: service)
      try await wallet.configure(.userPresence)

      let card = try await deliveries.whileAlone { try await service.addCard(profile: nil, to: wallet) }
      let paymentsLeft = try await wallet.cards().first?.paymentsLeft
      let list = try await service.follow(wallet)

      #expect(paymentsLeft == 10)
      #expect(list.cards == [card])
      #expect(card.name == template.name && card.state == .active)
    }
  }
}
