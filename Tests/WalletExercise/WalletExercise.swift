import ArgumentParser
import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVIssuer
import Foundation
import ISO7816
import Links
import Octets
import PaymentSimulation
import WalletDatabase

/// Pays, cancels, replenishes and wipes a wallet without end and writes each change to a journal. `KilledWalletTests`
/// kills this program and compares the wallet with the journal.
@main
struct WalletExercise: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wallet-exercise", abstract: "Use a wallet without end, for the test that kills the program.")

  @Option(help: "The wallet's folder.")
  var wallet: String
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
    let store = JournallingStore(try SQLiteWalletStore(directory: wallet), journal)
    journal.write("open")
    let issuer = TestIssuer()
    let account = IssuerAccount(image.applications[0])
    issuer.enrol(account)
    // The issuer of this process does not know what earlier ones granted: the wallet and the caller do.
    let granted = try store.cards().first?.freeCounters.first ?? 1
    _ = try issuer.grant(1, to: account, notBelow: max(free, granted))
    var steps = WalletSteps(image: image, store: store, issuer: issuer, seed: seed)
    while true { try await steps.next() }
  }
}

/// The steps of an exercise, chosen by a seed.
private struct WalletSteps {
  let image: CardImage
  let store: JournallingStore
  let issuer: TestIssuer
  var generator: SplitMix64

  init(image: CardImage, store: JournallingStore, issuer: TestIssuer, seed: UInt64) {
    self.image = image
    self.store = store
    self.issuer = issuer
    generator = SplitMix64(seed: seed)
  }

  mutating func next() async throws {
    let card = try store.cards().first
    guard let card else { return try store.add("card", image, keys: provisioning().keys(for: image), threshold: 2) }
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

  private func configuredWallet(_ provisioning: TestIssuerProvisioning? = nil) async throws -> Wallet {
    let device = SimulatedDevice(user: .approve)
    device.setPasscode("0000")
    device.enrolBiometric()
    let wallet = Wallet(store: store, device: device.ports, replenishment: provisioning)
    try await wallet.configure(.biometricOnly)
    return wallet
  }

  private mutating func replenish(isForced: Bool) async throws {
    let wallet = try await configuredWallet(provisioning())
    _ = try await wallet.replenish(digitalCardID: "card", isForced: isForced)
  }

  /// A payment at a terminal in this process, or one that the cardholder cancels before a terminal comes.
  private mutating func pay() async throws {
    let session = try await configuredWallet().makePaymentSession()
    let isCancelled = Int.random(in: 0..<4, using: &generator) == 0
    await session.startPayment()
    for await event in session.events {
      switch event {
      case .authenticationRequired(let action): await action.proceed()
      case .authenticationCompleted where isCancelled: await session.cancel()
      case .authenticationCompleted: try await session.startEmulation(on: Self.terminal())
      case .posConnected, .posDisconnected, .transactionCompleted, .errorEncountered: break
      }
    }
    await session.finished()
  }

  /// Reads a Visa card once: SELECT, GET PROCESSING OPTIONS for 12.34 EUR, and the two records.
  private static let commands = [
    "00A4040007A000000003101000",
    "80A8000023832132804000000000001234000000000000027600000000000978261120004D2C1B0A00",
    "00B2010C00", "00B2011C00",
  ]

  /// Puts a terminal on a new loopback for one tap, and then takes the card away.
  private static func terminal() throws -> Loopback {
    let octets = try commands.map { try [UInt8](hex: $0) }
    let loopback = Loopback()
    _ = DedicatedThread(named: "terminal") {
      defer { loopback.stop() }
      guard var channel = try? loopback.connect(timeout: .seconds(60)) else { return }
      for command in octets {
        var room = [UInt8](repeating: 0, count: shortResponseCapacity)
        _ = try? room.withMutableOctets { (room) throws(LinkError) in
          try channel.transmit(command.span, into: &room)
        }
      }
      channel.close()
    }
    return loopback
  }
}
