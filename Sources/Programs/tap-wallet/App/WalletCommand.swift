import ArgumentParser
import WalletAccess

/// A command on the folder of a wallet.
protocol FolderCommand: AsyncParsableCommand, Sendable {
  /// The name of the command in its last line.
  var operation: String { get }

  /// Does what the command is for.
  func perform(_ run: WalletRun) async throws -> WalletRun.Success
}

extension FolderCommand {
  /// The name of the command.
  var operation: String { Self.configuration.commandName ?? "" }
}

/// A command of FIDO UAF.
protocol ProtocolCommand: FolderCommand {
  var state: ProtocolOptions { get }
}

extension ProtocolCommand {
  /// Runs the command.
  func run() async throws {
    try await WalletRun.perform(operation, state.state, state) { run in try await perform(run) }
  }
}

/// A command of the wallet, which runs alone or inside `tap-wallet open`.
protocol WalletCommand: FolderCommand {
  var state: StateOptions { get }
}

extension WalletCommand {
  /// The action of the user, which the first word of the operation names; nil for a command that is always allowed.
  var userAction: AllowedActions.Action? {
    operation.split(separator: " ").first.flatMap { AllowedActions.Action(rawValue: String($0)) }
  }

  /// Runs the command alone.
  func run() async throws { try await WalletRun.perform(operation, state) { run in try await perform(run) } }
}
