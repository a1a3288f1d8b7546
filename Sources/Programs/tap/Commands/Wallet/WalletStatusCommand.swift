import ArgumentParser
import ContactlessPayment
import DeviceAuthentication
import Octets
import ProgramSupport
import WalletDatabase

/// Shows how a wallet is set up.
struct WalletStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show how the wallet is set up: its policy, its key, and its rollback protection.")

  @OptionGroup var options: WalletOptions

  private struct Line: Encodable {
    let wallet: String
    let policy: String
    let key: String
    let rollbackProtection: Bool
    let cards: Int
  }

  func run() async throws {
    try await Console.reportingErrors(as: options.format) {
      let store = try options.place.lockedStore()
      let wallet = try await options.place.open(store)
      guard let binding = try store.binding() else { throw WalletError.notInitialized }
      let line = Line(
        wallet: options.wallet, policy: binding.policy.rawValue, key: binding.key.identifier.octets.hex,
        rollbackProtection: try await wallet.hasRollbackProtection(), cards: try store.cardCount())
      switch options.format {
      case .json: try Console.print(json: line)
      case .text: show(line)
      }
    }
  }

  private func show(_ line: Line) {
    Console.print("policy: \(line.policy)")
    Console.print("key: \(line.key)")
    Console.print(
      "rollback protection: "
        + (line.rollbackProtection
          ? "a counter of the device" : "none, a restored copy of the folder is not noticed"))
    Console.print("cards: \(line.cards)")
  }
}
