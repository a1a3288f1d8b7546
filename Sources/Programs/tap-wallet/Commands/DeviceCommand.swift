import ArgumentParser
import MobileAuthentication
import ProgramSupport

/// How the servers call this device.
struct DeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "How the servers call this device, and where they send push messages.",
    subcommands: [Name.self, Push.self])

  /// Changes the name.
  struct Name: ProtocolCommand {
    static let configuration = CommandConfiguration(
      commandName: "name", abstract: "Change the name of this device.",
      help: CommandHelp(
        examples: [
          "tap-wallet device name --state mobile 'Phone of Alice'": "Give this device a name at the servers."
        ],
        exits: StateOptions.exits))

    @OptionGroup var state: ProtocolOptions
    @OptionGroup var retry: RetryOptions
    @Argument(help: "The new name, unique among the devices of a user.")
    var name: String

    func validate() throws {
      guard !name.allSatisfy(\.isWhitespace) else { throw ValidationError("The new name of the device is empty.") }
    }

    var operation: String { "device name" }

    func perform(_ run: WalletRun) async throws -> WalletRun.Success {
      try await DeviceInformationChange(name: name, retryPolicy: retry.policy).execute(on: run.client())
      return WalletRun.Success(text: "changed the name")
    }
  }

  /// Changes the address for push messages.
  struct Push: ProtocolCommand {
    static let configuration = CommandConfiguration(
      commandName: "push", abstract: "Set the address for push messages, or switch push off.",
      help: CommandHelp(
        examples: [
          "tap-wallet device push --state mobile --off": "Switch push messages off."
        ],
        exits: StateOptions.exits))

    @OptionGroup var state: ProtocolOptions
    @OptionGroup var retry: RetryOptions
    @Flag(help: "Receive no push messages any more.")
    var off = false
    @Argument(help: "The address for push messages.")
    var address: String?

    func validate() throws {
      guard off != (address != nil) else { throw ValidationError("Name an address, or --off.") }
    }

    var operation: String { "device push" }

    func perform(_ run: WalletRun) async throws -> WalletRun.Success {
      let push = address.map { DeviceInformationChange.Push.enabled(token: $0) } ?? .disabled
      try await DeviceInformationChange(push: push, retryPolicy: retry.policy).execute(on: run.client())
      return WalletRun.Success(text: off ? "switched push off" : "changed the address for push messages")
    }
  }
}

/// How a change is repeated after a failure of the network.
struct RetryOptions: ParsableArguments {
  @Option(help: "How often to repeat after a failure of the network: 0 to 100.")
  var retries = 0
  @Option(help: ArgumentHelp("The pause before each repetition: 0 to 3600.", valueName: "seconds"))
  var retryDelay = 1
  @Option(
    help: "By how much each pause is longer than the one before: 0 for equal pauses, 1 for twice as long; up to 10.")
  var retryGrowth = 0.0
  @Option(help: ArgumentHelp("The longest pause, with --retry-growth: 1 to 3600.", valueName: "seconds"))
  var retryMaximumDelay = 60

  var policy: NetworkRetryPolicy {
    if retries == 0 { return .none }
    if retryGrowth == 0 { return .constant(maxRetries: retries, delay: .seconds(retryDelay)) }
    return .exponential(
      maxRetries: retries, initialDelay: .seconds(retryDelay), maximumDelay: .seconds(retryMaximumDelay),
      multiplier: retryGrowth)
  }

  func validate() throws {
    guard (0...100).contains(retries), (0...3_600).contains(retryDelay) else {
      throw ValidationError("--retries is 0 to 100, --retry-delay 0 to 3600.")
    }
    guard (0...10).contains(retryGrowth), (1...3_600).contains(retryMaximumDelay) else {
      throw ValidationError("--retry-growth is 0 to 10, --retry-maximum-delay 1 to 3600.")
    }
    guard retryGrowth == 0 || retryDelay <= retryMaximumDelay else {
      throw ValidationError("--retry-delay \(retryDelay) is longer than --retry-maximum-delay \(retryMaximumDelay).")
    }
  }
}
