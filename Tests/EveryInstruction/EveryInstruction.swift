import ArgumentParser

/// Stops an armed card at every instruction of a command, changes its wallet from another process, and lets it go on.
@main
struct EveryInstruction: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "every-instruction",
    abstract: "Stop an armed card at each instruction of a command, and withdraw it from another process.",
    subcommands: [WalkCommand.self, HoldCommand.self, ChangeCommand.self], defaultSubcommand: WalkCommand.self)
}
