internal import CardProvisioning
internal import ContactlessPayment
internal import DeviceAuthentication
internal import MobileAuthentication
internal import Octets
internal import PaymentSimulation
internal import WalletAccess

/// The process of a wallet.
struct PhoneProcess {
  let life: Mortality
  let wallet: Wallet
  /// The wallet at each server.
  let links: [ServerLink]
}

/// A wallet at a server.
struct ServerLink: Sendable {
  let access: WalletAccess
  let service: CardService
  let deliveries: DeliveryFile
}

/// Asks the issuer of a card for keys.
struct IssuersOfPhone: ReplenishmentService {
  let test: TestIssuerProvisioning
  let links: [ServerLink]

  func paymentKeys(
    for card: DigitalCard, isForced: Bool
  ) async throws(ReplenishmentServiceError) -> [PaymentKeys] {
    guard let issuer = card.issuer else { return try await test.paymentKeys(for: card, isForced: isForced) }
    guard let link = links.first(where: { $0.access.server == issuer }) else { throw .declined("no such issuer") }
    return try await link.service.paymentKeys(for: card, isForced: isForced)
  }
}

/// What a phone has of a server besides the session: the cards and the pending deliveries.
struct ContentsOfPhone: WalletContents {
  let store: MortalStore
  let device: DevicePorts
  let clock: SimulatedClock
  let issuer: String
  let deliveries: DeliveryFile

  func wipe() async throws(WalletContentsError) {
    let wallet = Wallet(store: store, device: device, clock: clock.monotonic)
    do {
      try await wallet.open()
      try await wallet.deleteCards(of: issuer)
      try deliveries.removeAll()
    } catch WalletError.authenticationKeyInvalidated(_, wipeFailure: nil) {
      // All cards are gone.
    } catch { throw WalletContentsError("\(error)") }
  }
}
