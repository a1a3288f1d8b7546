import AccessMessages
import AccessServer
import CardProvisioning
import ContactlessPayment
import DeviceAuthentication
import JSON
import MobileAuthentication
import TestSupport
import Testing
import WalletAccess

/// Cards that arrive while another process on the same folder unlinks the device.
@Suite("Cards that arrive after an unlinking", .timeLimit(.minutes(1)))
struct UnlinkedDeliveryTests {
  /// The contents of the other process: the cards in the store that both share.
  private struct Contents: WalletContents {
    let wallet: Wallet
    let issuer: String

    func wipe() async throws(WalletContentsError) {
      do { try await wallet.deleteCards(of: issuer) } catch { throw WalletContentsError("\(error)") }
    }
  }

  /// The connection of a process that is held back when it has opened a delivery, until another one has unlinked the device.
  private struct OvertakenConnection: ProvisioningConnection {
    let inner: WalletConnection
    let other: DeviceCoordinator
    var issuer: String { inner.issuer }

    func send(
      _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue?
    ) async throws(ProvisioningError) -> JSONValue { try await inner.send(method, path, body) }

    func open(_ envelope: String) async throws(ProvisioningError) -> [UInt8] {
      let content = try await inner.open(envelope)
      do { _ = try await other.removeDevice() } catch { throw .envelope("not unlinked: \(error)") }
      return content
    }

    func isLinked() async throws(ProvisioningError) -> Bool { try await inner.isLinked() }
  }

  @Test func `a card that arrived before another process unlinked the device is not kept`() async throws {
    try await Cardholder.run { holder, server in
      let other = try WalletAccess(
        server: server.url, device: AuthenticationDevice(ports: holder.test.device.ports, protection: .simulated),
        http: holder.test.exchange, store: holder.test.store, integrity: SimulatedIntegrity(),
        contents: [Contents(wallet: holder.wallet, issuer: holder.access.server)])
      let connection = OvertakenConnection(inner: WalletConnection(holder.access), other: DeviceCoordinator(other))
      let service = CardService(connection, deliveries: holder.deliveries)
      await #expect(throws: ProvisioningError.deviceUnlinked) {
        try await service.addCard(profile: nil, to: holder.wallet)
      }
      try await holder.expect(deliveries: 0)
    }
  }
}
