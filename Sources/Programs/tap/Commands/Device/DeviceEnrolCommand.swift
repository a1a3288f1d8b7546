import ArgumentParser
import DeviceAuthentication
import ProgramSupport
import WalletDatabase

/// Sets a wallet up on a device.
struct DeviceEnrolCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enrol",
    abstract: "Set a wallet up on a device: create its key there, and store policy and key in the wallet.",
    help: CommandHelp(
      """
      A wallet that is set up already stays as it is when the policy is the same and its key still works. One \
      whose key is lost loses its cards, and is set up again.
      """,
      examples: [
        "tap device enrol --wallet machine --device linux --policy userPresence":
          "Bind a wallet to the device of this machine."
      ],
      exits: [
        .done: "set up",
        .notRight: "refused, such as another policy or a missing lock",
        .error: "the wallet or the device cannot be opened",
      ]))

  @OptionGroup var options: WalletOptions
  @Option(help: "How the cardholder must be verified, for the life of the wallet.")
  var policy = CardholderVerificationPolicy.biometricOnly
  @OptionGroup var setUp: SetUpOptions

  func run() async throws {
    try await Console.reportingErrors(as: options.format) {
      _ = try await options.place.setUp(
        SQLiteWalletStore(directory: options.wallet), policy: policy,
        rollbackProtection: !setUp.withoutRollbackProtection)
      try options.format.print(
        "\(options.wallet): set up for \(policy.rawValue)",
        json: ["wallet": options.wallet, "policy": policy.rawValue])
    }
  }
}
