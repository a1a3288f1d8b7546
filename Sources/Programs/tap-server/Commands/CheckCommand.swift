import AccessMessages
import ArgumentParser
import Documents
import JSON
import ProgramSupport

/// Checks a running server.
struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check that a server answers, that its certificate is trusted and that it has a store.",
    help: CommandHelp(
      "Stops at the first check that fails.",
      examples: [
        "tap-server check \(OperatorOptions.example)":
          "Check a server on this machine."
      ],
      exits: [
        .done: "all checks passed",
        .error: "a file cannot be read",
        .notRight: "the server does not trust the operator, or refuses",
        .notReached: "the server was not reached",
      ]))

  @OptionGroup var options: OperatorOptions

  func run() async throws {
    let report = options.report("check")
    try await report.run { () throws(CommandFailure) in
      let client = try OperatorClient(options)
      let versions = try await client.send(.get, AccessPath.linuxVersions, nil, ClientVersions.init)
      show("server", "answers over TLS with a trusted certificate", report)
      try await client.send(.get, OperatorPath.audit + "?limit=1")
      show("operator", "the token is accepted and the store answers", report)
      show("clients", "version \(versions.minimum) or newer; the latest is \(versions.latest)", report)
    }
  }

  private func show(_ part: String, _ finding: String, _ report: Report) {
    report.result(
      "check", [("part", JSONValue(part)), ("finding", JSONValue(finding))], text: "\(part): \(finding)")
  }
}
