import AccessMessages
import ArgumentParser
import Documents
import Octets
import ProgramSupport

/// The users of the server.
struct UserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "Add users, and make registration tokens.",
    subcommands: [AddUserCommand.self, UserTokenCommand.self])
}

/// Adds a new user.
struct AddUserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a new user and print a token with which the user registers one authenticator.",
    help: CommandHelp(
      """
      A name that a user has, or that differs from it only in characters for compatibility, ends with exists \
      and exit code 2. tap-server user token makes a further token for a user.
      """,
      examples: [
        "tap-server user add alice \(OperatorOptions.example)":
          "Add a user, and print a token."
      ],
      exits: OperatorOptions.exits))

  @Argument(help: "The account, 1 to 128 characters.")
  var name: String
  @OptionGroup var options: OperatorOptions

  func run() async throws {
    let report = options.report("user add")
    try await report.run { () throws(CommandFailure) in
      let added = try await OperatorClient(options).send(
        .post, OperatorPath.users, UserAddition(name: name).json, AddedUser.init)
      report.result("user", added.members, text: added.registrationToken)
    }
  }
}

/// Makes a further token for a user.
struct UserTokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Print the name of a user and a further token, with a tab between them.",
    help: CommandHelp(
      """
      For a user who has lost a device, or whose token has expired. The user registers one authenticator with \
      it. The name must have exactly the bytes of the user's.
      """,
      examples: [
        "tap-server user token alice \(OperatorOptions.example)":
          "Print a further token for a user."
      ],
      exits: OperatorOptions.exits))

  @Argument(help: "The account, 1 to 128 characters.")
  var name: String
  @OptionGroup var options: OperatorOptions

  func run() async throws {
    let report = options.report("user token")
    try await report.run { () throws(CommandFailure) in
      let added = try await OperatorClient(options).send(
        .post, OperatorPath.userTokens, UserAddition(name: name).json, AddedUser.init)
      report.result("user", added.members, text: "\(added.name.visible())\t\(added.registrationToken)")
    }
  }
}
