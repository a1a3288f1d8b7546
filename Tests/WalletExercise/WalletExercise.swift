import ArgumentParser
import ContactlessPayment
import DeviceAuthentication
import EMVCard
import Foundation
import PaymentSimulation
import PaymentSupport
import WalletDatabase

/// A wallet in a process of its own, for tests that end the process or compare it with another.
@main
struct WalletExercise: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wallet-exercise", abstract: "Use a wallet in a process of its own, for tests.",
    subcommands: [EndlessCommand.self, IssuerCommand.self, SetUpCommand.self, PayCommand.self])
}

/// The wallet and the device of a command.
struct ExerciseOptions: ParsableArguments {
  @Option(help: "The wallet's folder.")
  var wallet: String
  @Option(help: "The file of the simulated device.")
  var device: String
  @Option(help: "How the cardholder is verified.", transform: Self.policy)
  var policy = CardholderVerificationPolicy.biometricOnly

  private static func policy(_ name: String) throws -> CardholderVerificationPolicy {
    guard let policy = CardholderVerificationPolicy(rawValue: name) else {
      throw ValidationError("--policy \(name): biometricOnly or userPresence is needed.")
    }
    return policy
  }

  func makeWallet() throws -> Wallet {
    Wallet(store: try SQLiteWalletStore(directory: wallet), device: try StoredDevice(path: device).ports)
  }
}

/// Sets a wallet up and adds a card.
struct SetUpCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "set-up", abstract: "Set a wallet up with a card.")

  @OptionGroup var options: ExerciseOptions
  @Option(help: "The profile of a Visa card.")
  var card: String
  @Option(help: "For how many payments.")
  var uses: Int

  func run() async throws {
    let image = try CardImage(json: [UInt8](Data(contentsOf: URL(filePath: card))))
    let wallet = try options.makeWallet()
    try await wallet.configure(options.policy)
    try await wallet.add("card", image, keys: TestIssuerProvisioning(uses: uses).keys(for: image))
  }
}

/// Configures a wallet, pays once and prints the outcome as a line.
struct PayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pay", abstract: "Pay once.",
    discussion: "Prints \"paid\" with the transaction counter, or the name of the error.")

  @OptionGroup var options: ExerciseOptions

  func run() async throws {
    let wallet = try options.makeWallet()
    do {
      try await wallet.configure(options.policy)
    } catch WalletError.authenticationKeyInvalidated {
      return print("configure: authenticationKeyInvalidated")
    } catch WalletError.alreadyConfigured(let policy) {
      return print("configure: alreadyConfigured \(policy.rawValue)")
    } catch {
      return print("configure: \(error)")
    }
    switch try await TestPurchase.pay(wallet) {
    case .transactionCompleted(let context): print("paid \(context.transactionCounter)")
    case .errorEncountered(let error, _): print("session: \(error.name)")
    default: print("no outcome")
    }
  }
}
