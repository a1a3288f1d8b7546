import ProgramSupport

/// The servers among which a command chooses.
struct ServerChoice: Sendable {
  /// The server of `--server`; nil without the option.
  let named: KnownServer?
  /// The servers that the folder stores, and those of which it keeps something.
  let known: [KnownServer]

  /// Takes the servers of a folder.
  ///
  /// - Parameter kept: The origins of the servers of which the folder keeps something.
  init(_ stored: [KnownServer], kept: [String], _ options: StateOptions) {
    func completed(_ server: KnownServer) -> KnownServer {
      var completed = stored.first { $0.origin == server.origin } ?? server
      completed.ca = server.ca ?? completed.ca
      return completed
    }
    named = options.server.map { completed(KnownServer(url: $0, ca: options.authorities)) }
    var all = stored
    for origin in kept where !all.contains(where: { $0.origin == origin }) {
      all.append(KnownServer(url: origin, ca: nil))
    }
    // An authority without a server belongs to the only one.
    known = all.count == 1 ? all.map { KnownServer(url: $0.origin, ca: options.authorities ?? $0.ca) } : all
  }

  /// The servers that a command may use: the named one, or all.
  var allowed: [KnownServer] { named.map { [$0] } ?? known }

  /// The servers whose authorities are known: a change of the device reaches those of all accounts.
  var trusted: [KnownServer] { known.filter { $0.origin != named?.origin } + (named.map { [$0] } ?? []) }

  /// The server of a command that uses one.
  ///
  /// - Throws: `CommandFailure` when the folder has none or several, and none is named.
  func only() throws(CommandFailure) -> KnownServer {
    guard let first = allowed.first else {
      throw .invalidArgument("name the server with --server https://HOST:PORT")
    }
    guard allowed.count == 1 else { throw several }
    return first
  }

  /// The refusal of a command that does not choose one of several servers.
  var several: CommandFailure {
    .invalidArgument(
      "the folder has several servers: pass --server with one of \(known.map(\.origin).joined(separator: ", "))")
  }
}
