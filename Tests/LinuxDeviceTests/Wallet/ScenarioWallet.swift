import ContactlessPayment
import DeviceAuthentication
import EMVCard
import Fixtures
import Foundation
import PaymentSimulation
import PaymentSupport
import TestSupport
import WalletDatabase

/// A wallet that is set up before its device changes and pays afterwards.
protocol ScenarioWallet: Sendable {
  /// Sets the wallet up and adds one card.
  func setUp(_ policy: CardholderVerificationPolicy) async throws
  /// Pays once. Returns `paid`, or the name of the error.
  func pay() async throws -> String
  /// The number of cards in the store.
  func cardCount() async throws -> Int
}

/// A wallet in this process.
final class LocalWallet: ScenarioWallet, @unchecked Sendable {
  // @unchecked: one test uses the wallet, step by step.
  private let store: () throws -> any WalletStore
  private let device: DevicePorts
  /// Whether each payment opens the store again, as a new process does.
  private let reopens: Bool
  private var wallet: Wallet
  private var policy = CardholderVerificationPolicy.biometricOnly

  /// - Parameter store: Opens the store.
  init(_ device: DevicePorts, reopens: Bool, store: @escaping () throws -> any WalletStore) throws {
    self.store = store
    self.device = device
    self.reopens = reopens
    wallet = Wallet(store: try store(), device: device)
  }

  func setUp(_ policy: CardholderVerificationPolicy) async throws {
    self.policy = policy
    let image = try CardImage(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    try await wallet.configure(policy)
    try await wallet.add("card", image, keys: TestIssuerProvisioning(uses: 9).keys(for: image))
  }

  func pay() async throws -> String {
    if reopens {
      wallet = Wallet(store: try store(), device: device)
      do {
        try await wallet.configure(policy)
      } catch WalletError.authenticationKeyInvalidated(_, wipeFailure: nil) {
        return "authenticationKeyInvalidated"
      }
    }
    switch try await TestPurchase.pay(wallet) {
    case .transactionCompleted: return "paid"
    case .errorEncountered(let error, _): return error.name
    case let event: return "\(String(describing: event))"
    }
  }

  func cardCount() async throws -> Int {
    let store = try store()
    guard try store.binding() != nil else { return try store.cards().count }
    return try await wallet.cards().count
  }
}

/// A wallet in a folder, with a new process for each step.
struct ProcessWallet: ScenarioWallet {
  let programs: any WalletPrograms

  private var options: [String] { ["--wallet", programs.folder + "/wallet", "--device", programs.device] }

  func setUp(_ policy: CardholderVerificationPolicy) throws {
    let run = try programs.tap(
      ["wallet", "add"] + options + ["--card", programs.card, "--policy", policy.rawValue])
    guard run.code == 0 else { throw MissingComponent(description: "tap wallet add: \(run.output)\(run.errors)") }
  }

  func pay() throws -> String {
    let run = try programs.tap(["present", "--link", "loopback", "--format", "json"] + options)
    if run.code == 0, run.json["event"] == "transactionCompleted" { return "paid" }
    return run.errorCode ?? "exit code \(run.code, default: "none"): \(run.output)\(run.errors)"
  }

  func cardCount() throws -> Int {
    let run = try programs.tap(["wallet", "list", "--format", "json"] + options)
    // The wallet was wiped.
    if run.code == 2, run.errorCode == "authenticationKeyInvalidated" { return 0 }
    guard run.code == 0 else { throw MissingComponent(description: "tap wallet list: \(run.output)\(run.errors)") }
    return run.output.split(separator: "\n").count
  }
}
