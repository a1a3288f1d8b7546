import AccessMessages
import ArgumentParser
import JSON
import Octets
import ProgramSupport
import WalletAccess

/// What the issuer keeps of the user.
struct ProfileCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile", abstract: "Show and change your names and your telephone number, after a login.",
    subcommands: [Show.self, Set.self])

  /// Shows the profile.
  struct Show: WalletCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show your e-mail address, names and telephone number.",
      help: CommandHelp(
        examples: [
          "tap-wallet profile show --state mobile": "Show your data."
        ],
        exits: StateOptions.exits))

    @OptionGroup var state: StateOptions

    var operation: String { "profile show" }

    func perform(_ run: WalletRun) async throws -> WalletRun.Success {
      WalletRun.Success(try await ProfileCoordinator(run.wallet()).profile())
    }
  }

  /// Changes the profile.
  struct Set: WalletCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Change your names or your telephone number.",
      help: CommandHelp(
        "What is left out stays. The e-mail address is the user name and cannot be changed.",
        examples: [
          "tap-wallet profile set --state mobile --phone +41441234567": "Change your telephone number."
        ],
        exits: StateOptions.exits))

    @OptionGroup var state: StateOptions
    @Option(help: "The first name.")
    var firstName: String?
    @Option(help: "The last name.")
    var lastName: String?
    @Option(parsing: .unconditional, help: "The telephone number.")
    var phone: String?
    @Option(help: "Refused: the e-mail address is the user name and cannot be changed.")
    var email: String?

    func validate() throws {
      let entries = [(ProfileEntry.firstName, firstName), (.lastName, lastName), (.phone, phone), (.email, email)]
      guard entries.contains(where: { $0.1 != nil }) else {
        throw ValidationError("Name what changes: --first-name, --last-name or --phone.")
      }
    }

    var operation: String { "profile set" }

    func perform(_ run: WalletRun) async throws -> WalletRun.Success {
      try checkLengths()
      let change = ProfileChange(email: email, firstName: firstName, lastName: lastName, phone: phone)
      return WalletRun.Success(try await ProfileCoordinator(run.wallet()).change(change))
    }

    private func checkLengths() throws(CommandFailure) {
      for (entry, value) in [(ProfileEntry.firstName, firstName), (.lastName, lastName), (.phone, phone)] {
        guard let reason = value.flatMap(entry.shortcoming) else { continue }
        throw CommandFailure("InvalidProfile", "\(entry.rawValue): \(reason)", .notRight)
      }
    }
  }
}

extension WalletRun.Success {
  fileprivate init(_ profile: WalletProfile) {
    members = [
      ("email", JSONValue(profile.email)), ("firstName", JSONValue(profile.firstName)),
      ("lastName", JSONValue(profile.lastName)), ("phone", JSONValue(profile.phone)),
    ]
    text = """
      \(profile.firstName.visible()) \(profile.lastName.visible())
      e-mail \(profile.email.visible()), the user name
      telephone \(profile.phone.visible())
      """
  }
}
