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
    discussion: """
      Works directly on the database, whether servers run on it or not: they use the new keys from their next request on. The \
      key that chooses the questions of unknown users is not rotated: their questions would change while those of users stay, \
      which reveals the users.
      """,
    subcommands: [RotateAuthorizationCommand.self, RotateIssuerCommand.self, ListKeysCommand.self])
}

/// Rotates the key of the authorizations.
struct RotateAuthorizationCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "authorization", abstract: "Make a new key that signs authorizations.",
    discussion: """
      Prints the number of the generation, which authorizations name in their header (kid). Authorizations of the former key \
      end after the time of --accept-seconds, unless they end before.
      """)

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
    discussion: """
      Prints the number of the generation. A card gets keys of it with its next replenishment. Payments with keys of the \
      former generation are accepted for the time of --accept-seconds, then they are declined until the wallet gets new keys.
      """)

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
    discussion: """
      The columns are keys, generation, when it was made, and until when it is accepted, both in milliseconds since 1970. With \
      --format json a generation of authorizations has its public key (JWK), with which other systems verify them. No private \
      key is printed.
      """)

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
          generation.kind.rawValue, "\(generation.number)", "\(generation.createdAt)",
          generation.acceptedUntil.map { "\($0)" } ?? "-",
        ]
      ])
  }
}
