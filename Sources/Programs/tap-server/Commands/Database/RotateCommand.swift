import AccessServer
import ArgumentParser
import JSON
import ProgramSupport
import ServerStore

/// New generations of the keys of a server.
struct RotateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Make new keys for the authorizations or for the issuer, and list their generations.",
    help: CommandHelp(
      """
      Works directly on the database, whether servers run on it or not: they use the new keys from their next \
      request on. The key that chooses the questions of unknown users is not rotated: their questions would \
      change while those of users stay, which reveals the users.
      """),
    subcommands: [RotateAuthorizationCommand.self, RotateIssuerCommand.self, ListKeysCommand.self])

  /// How the commands of the group end.
  static let exits: CommandHelp.Exits = [
    .done: "done", .error: "the database cannot be opened or written", .notRight: "the database is damaged or too new",
  ]
}

/// Rotates the key of the authorizations.
struct RotateAuthorizationCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "authorization", abstract: "Make a new key that signs authorizations.",
    help: CommandHelp(
      """
      Prints the number of the generation, which authorizations name in their header (kid). Authorizations of \
      the former key end after the time of --accept-seconds, unless they end before.
      """,
      examples: [
        "tap-server rotate authorization --database sqlite:server.sqlite": "Sign authorizations with a new key."
      ],
      exits: RotateCommand.exits))

  @Option(help: ArgumentHelp("How long authorizations of the former key are accepted.", valueName: "seconds"))
  var acceptSeconds = 900
  @OptionGroup var options: DatabaseOptions

  func validate() throws { try checkAccepted(acceptSeconds) }

  func run() async throws { try await options.rotate(.authorization, acceptSeconds) }
}

/// Rotates the master keys of the issuer.
struct RotateIssuerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "issuer", abstract: "Make new master keys of the issuer: cryptograms, codes and scripts.",
    help: CommandHelp(
      """
      Prints the number of the generation. A card gets keys of it with its next replenishment. Payments with \
      keys of the former generation are accepted for the time of --accept-seconds, then they are declined \
      until the wallet gets new keys.
      """,
      examples: [
        "tap-server rotate issuer --database sqlite:server.sqlite --accept-seconds 2592000":
          "Make new master keys, and accept the former ones for 30 days."
      ],
      exits: RotateCommand.exits))

  @Option(
    help: ArgumentHelp("How long payments with former keys are accepted; 30 days by default.", valueName: "seconds"))
  var acceptSeconds = 2_592_000
  @OptionGroup var options: DatabaseOptions

  func validate() throws { try checkAccepted(acceptSeconds) }

  func run() async throws { try await options.rotate(.issuer, acceptSeconds) }
}

private func checkAccepted(_ seconds: Int) throws {
  guard (0...315_360_000).contains(seconds) else {
    throw ValidationError("--accept-seconds \(seconds): the range is 0...315360000.")
  }
}

/// Lists generations.
struct ListKeysCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the generations of the keys.",
    help: CommandHelp(
      """
      The columns are keys, generation, when it was made, and until when it is accepted, both in local \
      time. With --format json a generation of authorizations has its public key (JWK), with which other systems \
      verify them. No private key is printed.
      """,
      examples: [
        "tap-server rotate list --database sqlite:server.sqlite": "List the generations of the keys."
      ],
      exits: RotateCommand.exits))

  @OptionGroup var options: DatabaseOptions

  func run() async throws {
    try await options.run("rotate list") { (report) throws(AccessStoreError) in
      let generations = try await KeyAdministration(store: try options.openExisting()).generations()
      report.page(
        "generation", generations.map { ListEntry($0) }, columns: ["keys", "generation", "created", "accepted until"])
    }
  }
}

extension DatabaseOptions {
  fileprivate func rotate(_ kind: KeyAdministration.Kind, _ seconds: Int) async throws {
    try await run("rotate \(kind.rawValue)") { (report) throws(AccessStoreError) in
      let number = try await KeyAdministration(store: try openExisting()).rotate(kind, acceptedFor: seconds)
      report.result(
        "generation", [("keys", JSONValue(kind.rawValue)), ("generation", JSONValue(number))], text: "\(number)")
    }
  }
}

extension ListEntry {
  fileprivate init(_ generation: KeyAdministration.Generation) {
    self.init(
      members: [
        ("keys", JSONValue(generation.kind.rawValue)), ("generation", JSONValue(generation.number)),
        ("createdAt", JSONValue(generation.createdAt)),
        ("acceptedUntil", generation.acceptedUntil.map { JSONValue($0) }), ("publicKey", generation.publicKey),
      ],
      rows: [
        [
          generation.kind.rawValue, "\(generation.number)", generation.createdAt.moment,
          generation.acceptedUntil?.moment ?? "-",
        ]
      ])
  }
}
