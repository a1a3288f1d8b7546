import ArgumentParser
import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVIssuer
import Foundation
import Links
import Octets
import WalletDatabase
import PaymentSimulation

/// Pays, cancels, replenishes and wipes without end, and writes down what it does: for the test that kills it.
struct WalletExerciseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "exercise", abstract: "Use a wallet without end, for the test that kills the program.",
    shouldDisplay: false)

  @OptionGroup var options: WalletOptions
  @Option(help: "The card profile.")
  var card: String
  @Option(help: "Where every use is written down before it is made.")
  var journal: String
  @Option(help: "Chooses what is done.")
  var seed: UInt64
  @Option(help: "The lowest counter that the issuer may give.")
  var free: Int

  func run() async throws {
    let image = try Files.card(card)
    let journal = try Journal(path: journal)
    let store = JournallingStore(try SQLiteWalletStore(directory: options.wallet), journal)
    journal.write("open")
    let issuer = TestIssuer()
    // A real issuer remembers what it granted; this one takes it from the wallet and from its options.
    let known = try store.cards().first?.freeCounters ?? []
    for (place, application) in image.applications.enumerated() {
      issuer.enrol(IssuerAccount(application))
      let granted = place < known.count ? known[place] : 1
      _ = try issuer.grant(1, to: IssuerAccount(application), notBelow: max(free, granted))
    }
    var exercise = WalletExercise(image: image, store: store, journal: journal, issuer: issuer, seed: seed)
    while true { try await exercise.step() }
  }
}

/// The steps of an exercise, chosen by a seed.
private struct WalletExercise {
  let image: CardImage
  let store: JournallingStore
  let journal: Journal
  let issuer: TestIssuer
  var generator: SplitMix64

  init(image: CardImage, store: JournallingStore, journal: Journal, issuer: TestIssuer, seed: UInt64) {
    self.image = image
    self.store = store
    self.journal = journal
    self.issuer = issuer
    generator = SplitMix64(seed: seed)
  }

  mutating func step() async throws {
    let card = try store.cards().first
    guard let card else { return try store.add("card", image, keys: keys(), threshold: 2) }
    let choice = Int.random(in: 0..<20, using: &generator)
    switch choice {
    case 0: try store.wipe()
    case 1...3: try await replenish(isForced: true)
    case 4...6 where card.paymentsLeft > 0: try store.settle(store.reserve("card").id, spent: [])
    case 7...10 where card.paymentsLeft > 0: try store.settle(store.reserve("card").id, spent: [0])
    case _ where card.paymentsLeft > 0: try await pay()
    default: try await replenish(isForced: false)
    }
  }

  private mutating func provisioning() -> TestIssuerProvisioning {
    let kind: PaymentKeyKind = Bool.random(using: &generator) ? .limitedUse : .singleUse
    return TestIssuerProvisioning(issuer: issuer, kind: kind, uses: Int.random(in: 1...4, using: &generator))
  }

  private mutating func keys() throws -> [PaymentKeys] { try provisioning().keys(for: image) }

  private mutating func replenish(isForced: Bool) async throws {
    let service = provisioning()
    let wallet = try await ProvisionedWallet(
      store: store, replenishment: service
    ).wallet
    _ = try await wallet.replenish(digitalCardID: "card", isForced: isForced)
  }

  /// A payment at a terminal in this process, or one that the holder ends before a terminal comes.
  private mutating func pay() async throws {
    let wallet = try await ProvisionedWallet(store: store).wallet
    let side = CardPresentation(wallet: wallet)
    if Int.random(in: 0..<4, using: &generator) == 0 {
      let session = try await side.present(on: Loopback())
      await session.cancel()
      await session.finished()
    } else {
      _ = try await side.pay(on: { try LoopbackTerminal.start() })
    }
  }
}
