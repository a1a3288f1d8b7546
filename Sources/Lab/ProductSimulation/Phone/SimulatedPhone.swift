internal import CardProvisioning
internal import ContactlessPayment
internal import DeviceAuthentication
internal import EMVCard
internal import EMVIssuer
internal import Foundation
internal import Links
internal import MobileAuthentication
internal import Octets
internal import PaymentSimulation
internal import WalletAccess
internal import WalletDatabase

/// A phone: a device that stays, a folder of a wallet, and the processes of the wallet, which end and start again.
final class SimulatedPhone {
  let number: Int
  let image: CardImage
  let device: SimulatedDevice
  let clock = SimulatedClock()
  let network: SimulatedNetwork
  private let folder: URL
  private let issuer: TestIssuerProvisioning
  /// The running processes on the folder, by their places.
  private var processes: [Int: PhoneProcess] = [:]
  /// The user name of the last enrolment at each server.
  var users: [Int: String] = [:]
  /// The identifiers of the cards that it got from each server, the oldest first.
  var issued: [Int: [String]] = [:]
  /// The number of enrolments so far.
  var enrolments = 0
  /// Whether the lock was removed since the wallet was opened.
  private(set) var hasLostLock = false

  static let passcode = "0000"

  init(
    number: Int, image: CardImage, folder: URL, issuer: TestIssuerProvisioning, network: SimulatedNetwork, seed: UInt64
  ) {
    (self.number, self.image, self.issuer, self.network) = (number, image, issuer, network)
    self.folder = folder.appending(path: "phone\(number)")
    device = SimulatedDevice(random: SeededRandomSource(seed: seed), signing: P256Signing(), clock: clock)
    device.setPasscode(Self.passcode)
    device.enrolBiometric()
  }

  private var wallet: URL { folder.appending(path: "wallet") }
  private var copy: URL { folder.appending(path: "copy") }

  /// The process at a place that runs, and was not killed; nil for none.
  func process(at place: Int) -> PhoneProcess? { processes[place].flatMap { $0.life.isOver ? nil : $0 } }

  /// Starts a process. A wallet without a card of the test issuer gets one, as far as its device allows it.
  ///
  /// - Parameter draw: The seed of everything random in the process.
  /// - Returns: Whether the wallet got the card.
  func start(_ place: Int, draw: UInt64) async throws -> Bool {
    end(place)
    try FileManager.default.createDirectory(
      at: wallet, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let process = try makeProcess(random: SeededRandomSource(seed: draw))
    processes[place] = process
    try await configure(process.wallet)
    hasLostLock = false
    guard try await !process.wallet.cards().contains(where: { $0.id == CardRegister.testCard }) else { return false }
    try await process.wallet.add(
      CardRegister.testCard, image, keys: issuer.keys(for: image), signingKey: issuer.signingKey(for: image))
    return true
  }

  private func makeProcess(random: SeededRandomSource) throws -> PhoneProcess {
    let life = Mortality()
    let store = MortalStore(try SQLiteWalletStore(directory: wallet.path, clock: clock, random: random), life)
    let links = try network.servers.map { try link(to: $0.origin, store, life, random) }
    let wallet = Wallet(
      store: store, device: device.ports, clock: clock.monotonic, random: random,
      replenishment: IssuersOfPhone(test: issuer, links: links),
      taskExecutor: ThreadExecutor(named: "phone"))
    return PhoneProcess(life: life, wallet: wallet, links: links)
  }

  private var localData: FileLocalData { FileLocalData(directory: wallet.path) }

  private func link(
    to origin: String, _ store: MortalStore, _ life: Mortality, _ random: SeededRandomSource
  ) throws -> ServerLink {
    let deliveries = DeliveryFile(path: wallet.appending(path: "deliveries.json").path, issuer: origin, random: random)
    let clocks = AuthenticatorClocks(wall: clock, monotonic: clock.monotonic, boot: "phone")
    let access = try WalletAccess(
      server: origin, device: AuthenticationDevice(ports: device.ports, protection: .simulated, clocks: clocks),
      http: NetworkPlace(network: network, phone: number), store: MortalLocalData(base: localData, life: life),
      integrity: SimulatedIntegrity(),
      contents: [
        ContentsOfPhone(store: store, device: device.ports, clock: clock, issuer: origin, deliveries: deliveries)
      ], random: random)
    let service = CardService(
      WalletConnection(access), deliveries: MortalDeliveries(base: deliveries, life: life))
    return ServerLink(access: access, service: service, deliveries: deliveries)
  }

  /// A device that has lost its key makes the wallet erase its content: the issuers learn of it, and it is set up again. The holder
  /// gives up an older copy.
  private func configure(_ wallet: Wallet) async throws {
    do throws(WalletError) {
      try await wallet.configure(.biometricOnly)
    } catch .authenticationKeyInvalidated {
      try await localData.change { records in
        for index in records.wallets.indices { records.wallets[index].hasUnreportedCardLoss = true }
      }
      try await wallet.configure(.biometricOnly)
    } catch .storeRolledBack {
      try await wallet.reset()
      try await wallet.configure(.biometricOnly)
    }
  }

  /// Ends a process without a word to it.
  func end(_ place: Int) {
    processes[place]?.life.end()
    processes[place] = nil
  }

  /// Ends all processes.
  func end() {
    for place in processes.keys { end(place) }
  }

  /// Copies the folder while no process uses it.
  func copyFolder() throws {
    end()
    try? FileManager.default.removeItem(at: copy)
    try FileManager.default.copyItem(at: wallet, to: copy)
  }

  /// Puts the last copy in the place of the folder.
  ///
  /// - Returns: False without a copy.
  func putCopyBack() throws -> Bool {
    guard FileManager.default.fileExists(atPath: copy.path) else { return false }
    end()
    try FileManager.default.removeItem(at: wallet)
    try FileManager.default.copyItem(at: copy, to: wallet)
    return true
  }

  /// The holder takes the lock off and sets another one.
  func replaceLock() {
    hasLostLock = true
    device.disableLockScreen()
    device.setPasscode(Self.passcode)
    device.enrolBiometric()
  }
}
