import ArgumentParser
import WalletAccess

/// A command of the wallet, which runs alone or inside `tap-wallet open`.
protocol WalletCommand: AsyncParsableCommand, Sendable {
  /// The options of every command.
  var state: StateOptions { get }
  /// The name of the command in its last line.
  var operation: String { get }

  /// Does what the command is for.
  func perform(_ run: WalletRun) async throws -> WalletRun.Success
}

extension WalletCommand {
  /// The name of the command.
  var operation: String { Self.configuration.commandName ?? "" }

  /// The action of the user, which the first word of the operation names; nil for a command that is always allowed.
  var userAction: AllowedActions.Action? {
    operation.split(separator: " ").first.flatMap { AllowedActions.Action(rawValue: String($0)) }
  }

  /// Runs the command alone.
  func run() async throws { try await WalletRun.perform(operation, state) { run in try await perform(run) } }
}
