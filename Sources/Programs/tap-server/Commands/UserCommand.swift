import AccessMessages
import ArgumentParser
import FIDOUAF
import ProgramSupport

/// The users of the server.
struct UserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "Add users.", subcommands: [AddUserCommand.self])
}

/// Adds a user.
struct AddUserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a user and print a token with which the user registers one authenticator.",
    discussion: "For a user that exists, a further token is made.")

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
