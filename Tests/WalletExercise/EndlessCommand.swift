import ArgumentParser
import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVIssuer
import Foundation
import Octets
import PaymentSimulation
import PaymentSupport
import WalletDatabase

/// Pays, cancels, replenishes and wipes a wallet without end and writes each change to a journal. `KilledWalletTests`
/// kills this program and compares the wallet with the journal.
struct EndlessCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "endless", abstract: "Use a wallet without end, for the test that kills the program.")

  @OptionGroup var options: ExerciseOptions
  @Option(help: "The profile of a Visa card with one application.")
  var card: String
  @Option(help: "The file to which every use is written before it is made.")
  var journal: String
  @Option(help: "The seed of the generator that chooses the steps.")
  var seed: UInt64
  @Option(help: "The lowest counter that the issuer may grant.")
  var free: Int

  func run() async throws {
    let image = try CardImage(json: [UInt8](Data(contentsOf: URL(filePath: card))))
    let journal = try Journal(path: journal)
    let store = JournallingStore(try SQLiteWalletStore(directory: options.wallet), journal)
    journal.write("open")
    let wallet = Wallet(store: store, device: try StoredDevice(path: options.device).ports)
    try await configure(wallet)
    let issuer = TestIssuer()
    let account = IssuerAccount(image.applications[0])
    issuer.enrol(account)
    // The issuer of this process does not know what earlier ones granted: the wallet and the caller do.
    let granted = try store.cards().first?.freeCounters.first ?? 1
    _ = try issuer.grant(1, to: account, notBelow: max(free, granted))
    var steps = WalletSteps(image: image, store: store, wallet: wallet, issuer: issuer, seed: seed)
    while true { try await steps.next() }
  }

  /// A wipe that a kill interrupted is completed by the first call; the second one sets the wallet up again.
  private func configure(_ wallet: Wallet) async throws {
    do {
      try await wallet.configure(options.policy)
    } catch WalletError.authenticationKeyInvalidated(.keyGone, .none) {
      try await wallet.configure(options.policy)
    }
  }
}

/// The steps of an exercise, chosen by a seed.
private struct WalletSteps {
  let image: CardImage
  let store: JournallingStore
  let wallet: Wallet
  let issuer: TestIssuer
  var generator: SplitMix64

  init(image: CardImage, store: JournallingStore, wallet: Wallet, issuer: TestIssuer, seed: UInt64) {
    self.image = image
    self.store = store
    self.wallet = wallet
    self.issuer = issuer
    generator = SplitMix64(seed: seed)
  }

  mutating func next() async throws {
    let card = try store.cards().first
    guard let card else { return try store.add("card", image, keys: provisioning().keys(for: image), threshold: 2) }
    let choice = Int.random(in: 0..<20, using: &generator)
    switch choice {
    case 0: try await reset()
    case 1...3: try await replenish(isForced: true)
    case 4...6 where card.paymentsLeft > 0: try store.settle(await wallet.reserve("card").id, spent: [])
    case 7...10 where card.paymentsLeft > 0: try store.settle(await wallet.reserve("card").id, spent: [0])
    case _ where card.paymentsLeft > 0: try await pay()
    default: try await replenish(isForced: false)
    }
  }

  private mutating func provisioning() -> TestIssuerProvisioning {
    let kind: PaymentKeyKind = Bool.random(using: &generator) ? .limitedUse : .singleUse
    return TestIssuerProvisioning(issuer: issuer, kind: kind, uses: Int.random(in: 1...4, using: &generator))
  }

  /// The cards are lost from the moment at which the device's key is deleted, before the store is wiped.
  private func reset() async throws {
    store.journal.write("begin wipe")
    try await wallet.reset()
    try await wallet.configure(.biometricOnly)
  }

  private mutating func replenish(isForced: Bool) async throws {
    let provisioning = provisioning()
    let card = try store.cards()[0]
    guard isForced || card.needsReplenishment else { return }
    try store.addKeys(await provisioning.paymentKeys(for: card, isForced: isForced), to: "card")
  }

  /// A payment at a terminal in this process, or one that the cardholder cancels before a terminal comes.
  private mutating func pay() async throws {
    _ = try await TestPurchase.pay(wallet, isCancelled: Int.random(in: 0..<4, using: &generator) == 0)
  }
}
