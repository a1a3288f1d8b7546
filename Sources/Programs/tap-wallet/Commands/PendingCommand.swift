import ArgumentParser
import JSON
import MobileAuthentication
import Octets
import ProgramSupport

/// Lists the out-of-band operations that wait for this device.
struct PendingCommand: ProtocolCommand {
  static let configuration = CommandConfiguration(
    commandName: "pending",
    abstract: "List the out-of-band operations that wait for this device, or do the oldest one.",
    help: CommandHelp(
      """
      A list does nothing with the operations; tap-wallet redeem NUMBER does one of them. Use it when a \
      message did not arrive, not for polling. A server that refuses or is not reached ends the command with \
      exit code 2 or 3, after the operations of the others.
      """,
      examples: [
        "tap-wallet pending --state mobile": "List the operations that wait.",
        "tap-wallet pending --state mobile --redeem": "Do the oldest one.",
      ],
      exits: StateOptions.exits))

  @OptionGroup var state: ProtocolOptions
  @Flag(help: "Do the oldest operation. Prompts: those of authenticate.")
  var redeem = false

  func perform(_ run: WalletRun) async throws -> WalletRun.Success {
    let client = try await run.client()
    let result = try await PendingOutOfBandOperations(server: run.servers.named?.origin).execute(on: client)
    for (index, operation) in result.operations.enumerated() { show(operation, index + 1, run) }
    for (account, error) in result.errors { show(error, of: account, run) }
    if redeem, let oldest = result.operations.first { return try await self.redeem(oldest, run, client) }
    if let error = result.errors.values.first { throw CommandFailure(error) }
    let count = result.operations.count
    return WalletRun.Success(
      members: [("operations", JSONValue(count))], text: count.counted("pending operation"))
  }

  private func show(_ operation: PendingOutOfBandOperations.Operation, _ number: Int, _ run: WalletRun) {
    let age = max(0, run.device.clocks.wall.now.seconds - operation.createdAt / 1_000)
    let text = operation.additionalInformation.map { ", " + $0.visible() } ?? ""
    run.output.event(
      "pending",
      [
        ("number", JSONValue(number)), ("account", JSONValue(operation.account.username)),
        ("createdAt", JSONValue(operation.createdAt)),
        ("expiresAt", JSONValue(operation.expiresAt)),
        ("dispatchChannel", JSONValue(operation.channel)),
        ("additionalInformation", operation.additionalInformation.map { JSONValue($0) }),
      ],
      text: """
        \(number)  \(operation.account.username.visible()), \(operation.channel.visible())\(text), \(Int(age).counted("second")) old
        """)
  }

  private func show(_ error: OperationError, of account: Account, _ run: WalletRun) {
    run.output.event(
      "pendingError", [("account", JSONValue(account.username)), ("code", JSONValue(error.code))],
      text: "\(account.username.visible()): \(error.code)")
  }

  private func redeem(
    _ pending: PendingOutOfBandOperations.Operation, _ run: WalletRun, _ client: MobileAuthenticationClient
  ) async throws -> WalletRun.Success {
    let interactions = run.interactions()
    let operation = OutOfBandOperation(
      pending.operation, onRegistration: Registration.Options(interactions),
      onAuthentication: Authentication.Options(interactions))
    return WalletRun.Success(try await operation.execute(on: client))
  }
}

extension WalletRun.Success {
  init(_ result: OutOfBandOperation.Result) {
    switch result {
    case .registered(let result): self.init(registered: result)
    case .authenticated(let result): self.init(authenticated: result)
    case .deregistered: self.init(text: "deregistered")
    }
  }
}
