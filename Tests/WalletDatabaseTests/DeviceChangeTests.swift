import ContactlessPayment
import DeviceAuthentication
import EMVCard
import Foundation
import PaymentSupport
import TestSupport
import Testing
import WalletDatabase

/// The published rows of changes of a device's unlock method, run through a wallet: it is set up and gets a card, the
/// device changes, the store is opened again as in a new process, and the wallet pays or reports the change.
@Suite("A wallet whose device changes", .blocks, .timeLimit(.minutes(20)))
struct DeviceChangeTests {
  static let rows = DeviceScenario.table + DeviceScenario.consequences
  /// Each opens the store again: the store in memory is the same object.
  static let stores: [@Sendable (Folder) -> @Sendable () throws -> any WalletStore] = [
    { _ in
      let store = InMemoryWalletStore()
      return { store }
    },
    { folder in { try SQLiteWalletStore(directory: folder.path) } },
  ]

  @Test(arguments: rows.indices, stores.indices)
  func `a wallet that is opened after the change does what the row says`(_ row: Int, _ kind: Int) async throws {
    let (scenario, folder, device) = (Self.rows[row], Folder(), SimulatedDevice())
    let open = Self.stores[kind](folder)
    for change in scenario.setUp { device.apply(change) }
    let image = try TestCard.image()
    do {
      let wallet = Wallet(store: try open(), device: device.ports)
      try await wallet.configure(scenario.policy)
      try await wallet.add("card", image, keys: TestCard.keys(for: image, uses: 3))
    }
    for change in scenario.changes { device.apply(change) }
    let wallet = Wallet(store: try open(), device: device.ports)
    let outcome = try await WalletOutcome(of: wallet, policy: scenario.policy)
    switch scenario.outcome {
    case .noAction(let method):
      #expect(outcome == .paid(counter: 1))
      #expect(device.promptCount(method) == 1)
    case .biometricNotEnrolled:
      #expect(outcome == .failed("biometricNotEnrolled"))
      #expect(try await wallet.cards().map(\.paymentsLeft) == [3])
      device.enrolBiometric()
      #expect(try await WalletOutcome(of: wallet, policy: scenario.policy) == .paid(counter: 1))
    case .authenticationKeyInvalidated:
      #expect(outcome == .refusedAtSetUp)
      #expect(device.promptCount(.biometric) + device.promptCount(.passcode) == 0)
      #expect(try open().binding() == nil)
      #expect(try open().cards().isEmpty)
      #expect(device.keyCount == 0)
    }
  }
}

/// What a wallet does when it is configured and a payment is started.
enum WalletOutcome: Equatable {
  /// The terminal received the cryptogram with this transaction counter.
  case paid(counter: UInt16)
  /// The session ended with the error of this name.
  case failed(String)
  /// The wallet was wiped because its key is invalid.
  case refusedAtSetUp

  init(of wallet: Wallet, policy: CardholderVerificationPolicy) async throws {
    do {
      try await wallet.configure(policy)
    } catch WalletError.authenticationKeyInvalidated {
      self = .refusedAtSetUp
      return
    }
    switch try await TestPurchase.pay(wallet) {
    case .transactionCompleted(let context): self = .paid(counter: context.transactionCounter)
    case .errorEncountered(let error, _): self = .failed(error.name)
    case let event: throw UnexpectedEvent(event: event)
    }
  }
}

/// A session whose last event ends no payment.
private struct UnexpectedEvent: Error {
  let event: ContactlessPaymentSession.Event?
}
