import AccessServer
import ArgumentParser
import JSON
import Octets
import ProgramSupport
import Synchronization
import UnixSignals

/// Serves until SIGTERM or SIGINT.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve until SIGTERM or SIGINT.",
    discussion: """
      Once the server listens, it prints one line of JSON with its URL and the file of its authority, and then nothing \
      more. After SIGTERM or SIGINT, open requests have 8 s to end. SIGHUP reloads certificate, configuration and token of \
      the operator for new connections and requests; with a problem all former ones stay. Exit codes: 0 ended by a signal; 1 an error; 64 wrong usage.
      """)

  @Option(help: ArgumentHelp("Where the server listens; port 0: the system chooses one.", valueName: "host:port"))
  var listen: ListenAddress
  @Option(help: ArgumentHelp("sqlite:FILE, postgresql://USER@HOST/DATABASE, or memory.", valueName: "database"))
  var database: DatabaseLocation
  @OptionGroup var options: ServingOptions

  private static let openRegistration = """
    Registration is open: everybody who reaches this server can register a new name. The configuration \
    {"openRegistration": false} demands a token of `tap-server user add`.
    """

  /// How often expired records are removed.
  private static let cleaningInterval = Duration.seconds(60)

  func validate() throws { try database.validate() }

  func run() async throws {
    do {
      try await serve()
    } catch let failure as CommandFailure {
      throw Self.fail(failure.message)
    } catch let error as any CustomStringConvertible & Error {
      throw Self.fail("\(error)")
    }
  }

  private static func fail(_ message: String) -> ExitCode {
    for line in message.split(separator: "\n") { Console.note("error: \(line)") }
    return .failure
  }

  private func serve() async throws {
    // Certificates and everything that expires have dates.
    _ = try SystemWallClock().checkedNow()
    let identity = try options.identity(host: listen.host)
    let configuration = try options.configuration(of: identity)
    let plan = try options.faultPlan()
    let isOpen = options.selfSigned != nil && configuration.openRegistration
    let url = ServerURL()
    var opened = try await AccessService(
      store: try database.open(), configuration: configuration, url: url, operatorToken: identity.operatorToken,
      clock: plan.map { SkewedWallClock(SystemWallClock(), aheadBy: $0.clockSkew) } ?? SystemWallClock())
    if let copiedAt = opened.copiedAt {
      Console.note(
        """
        Restored: the database is a copy of \(copiedAt.iso8601). Tokens, sessions and challenges have \
        ended, and cards need new keys.
        """)
    }
    opened.onStoreFailure = StoreFailureNotice().report
    let service = ReloadableService(opened)
    let responder: any AccessResponding =
      plan.map { plan in
        FaultyResponder(service, plan) { Console.note("Fault: \($0)") }
      } ?? service
    // Before the program says that it listens: an earlier SIGHUP would end it.
    let hangUps = await UnixSignalsSequence(trapping: .sighup)
    let server = try AccessHTTPServer(
      responder, limits: configuration.connections, tls: identity.tls, host: listen.host, port: listen.port,
      handlesSignals: true
    ) { [listen] port in
      url.set(listen.url(port: port))
      if isOpen { Console.note(Self.openRegistration) }
      Console.print(
        JSONValue(members: [
          ("url", JSONValue(configuration.url ?? url.text)), ("ca", identity.authorityFile.map { JSONValue($0) }),
        ]))
    }
    let cleaning = Task {
      while true {
        try await Task.sleep(for: Self.cleaningInterval)
        do throws(AccessStoreError) {
          _ = try await service.service.removeExpired()
        } catch {
          // The next round tries again.
          service.service.onStoreFailure(error)
        }
      }
    }
    defer { cleaning.cancel() }
    let reload = Reload(options: options, host: listen.host, service: service, certificates: server.certificates)
    let reloading = Task { for await _ in hangUps { reload.run() } }
    defer { reloading.cancel() }
    try await server.run()
  }
}

/// Writes the failures of the store to standard error, the same one once.
private final class StoreFailureNotice: Sendable {
  private let last = Mutex<AccessStoreError?>(nil)

  func report(_ error: AccessStoreError) {
    let isNew = last.withLock { exchange(&$0, with: error) != error }
    if isNew { Console.note("error: \(error)") }
  }
}
