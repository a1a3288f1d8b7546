import AccessServer
import ArgumentParser
import JSON
import Octets
import ProcessGuard
import ProgramSupport
import ServerShell
import ServerStore
import UnixSignals

/// Serves until SIGTERM or SIGINT.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve until SIGTERM or SIGINT.",
    help: CommandHelp(
      """
      Once the server listens, it prints one line of JSON with its URL, the file of its authority and the URL \
      of its metrics, and then nothing more. The log goes to standard error: a line for each request, with its \
      identifier (header X-Request-Id), route, status and duration, and never a token, PIN, account number, \
      name or body. After SIGTERM or SIGINT, open requests have 8 s to end, and /health/ready says that the \
      server is not ready. SIGHUP reloads certificate, key, configuration and token of the operator for new \
      connections and requests, and logs which of them have changed; with a problem all former ones stay. A \
      password file of PostgreSQL is read for each new connection.
      """,
      examples: [
        "tap-server serve --listen 127.0.0.1:8443 --database sqlite:server.sqlite --self-signed server":
          "Serve with a certificate of its own, for tests.",
        "tap-server serve --listen 10.0.0.1:8443 --database postgresql://tap@db.example/contactless --certificate server.pem --key server.key --operator operator.token --configuration server.json":
          "Serve from PostgreSQL with a certificate of an authority.",
      ],
      exits: [
        .done: "ended by a signal",
        .error: "a file or the database cannot be opened",
        .notRight: "a certificate, the configuration or the database is not right, or the process is unsafe",
      ],
      environment: [
        .init("NOTIFY_SOCKET", "the socket of systemd, which is told when the server is ready"),
        .init("PGPASSFILE", "the password file of PostgreSQL, ~/.pgpass when it is not set"),
      ],
      related: ["tap-server-configuration", "tap-server-check", "tap-wallet"]))

  @Option(help: ArgumentHelp("Where the server listens; port 0: the system chooses one.", valueName: "host:port"))
  var listen: ListenAddress
  @Option(help: ArgumentHelp("sqlite:FILE, postgresql://USER@HOST/DATABASE, or memory.", valueName: "database"))
  var database: DatabaseLocation
  @OptionGroup var options: ServingOptions
  @OptionGroup var integrity: IntegrityOptions
  @OptionGroup var observing: ObservationOptions

  private static let openRegistration = """
    registration is open: everybody who reaches this server can register a new name. The configuration \
    {"openRegistration": false} demands a token of `tap-server user add`
    """

  /// How often expired records are removed.
  private static let cleaningInterval = Duration.seconds(60)

  func validate() throws { try database.validate() }

  func run() async throws {
    do {
      try await serve()
    } catch {
      let message = (error as? CommandFailure)?.message ?? "\(error)"
      for line in message.split(separator: "\n") { Console.note("error: \(line)") }
      throw Exit(error).code
    }
  }

  private func serve() async throws {
    // Certificates and everything that expires have dates.
    _ = try SystemWallClock().checkedNow()
    try await observing.observed { observed, registry in
      let notification = ServiceNotification()
      let guarding = try startGuarding(observed.log)
      let observation = observed.draining { notification.report(.stopping) }.refusing(while: guarding.isRefusing)
      let identity = try options.identity(host: listen.host)
      let configuration = try options.configuration(of: identity)
      let plan = try options.faultPlan(observation.log)
      let isOpen = options.selfSigned != nil && configuration.openRegistration
      let url = ServerURL()
      let gaps = ProcessProtection.gaps
      if !gaps.isEmpty { observation.log.warning(gaps.map(\.description).joined(separator: "; ")) }
      // Before the database is opened, which may take minutes: without it a SIGHUP would end the program.
      let hangUps = await UnixSignalsSequence(trapping: .sighup)
      let password = DatabasePassword(database)
      let store = try database.open(observation.metrics.storeObservation)
      defer { store.finish() }
      let service = ReloadableService(
        try await opened(store, configuration, identity, plan, url, observation),
        files: identity.files + [try? password?.read()].compactMap(\.self))
      let cleaning = Task { try await Self.clean(service) }
      defer { cleaning.cancel() }
      try await observing.serving(service.service, observation, registry) { metricsURL in
        let server = try AccessHTTPServer(
          guarding.guarding(faulty(service, plan, observation.log)), limits: configuration.connections,
          tls: identity.tls,
          host: listen.host, port: listen.port, observation: observation, handlesSignals: true
        ) { [listen] port in
          url.set(listen.url(port: port))
          guarding.remark()
          if isOpen { observation.log.warning(Self.openRegistration) }
          if configuration.lacksOrigins { observation.log.warning(ServingOptions.missingOrigins) }
          Self.announce(configuration.printedURL(listeningAt: url.text), identity, metricsURL)
          notification.report(.ready)
        }
        let reload = Reload(
          options: options, integrity: integrity, host: listen.host, database: database, password: password,
          service: service, certificates: server.certificates, log: observation.log)
        let reloading = Task {
          for await _ in hangUps {
            notification.report(.reloading)
            reload.run()
            notification.report(.ready)
          }
        }
        defer { reloading.cancel() }
        try await server.run()
      }
    }
  }

  /// Checks this process before it reads a key.
  private func startGuarding(_ log: ServerLog) throws(CommandFailure) -> ServerGuard {
    let configuration: ServerConfiguration
    do throws(ServingProblem) { configuration = try options.readConfiguration() } catch { throw error.failure }
    let guarding = ServerGuard(integrity, configuration, log)
    try guarding.begin()
    return guarding
  }

  /// Opens the service on a database.
  private func opened(
    _ store: any AccessStore, _ configuration: ServerConfiguration, _ identity: ServingOptions.Identity,
    _ plan: FaultPlan?, _ url: ServerURL,
    _ observation: ServerObservation
  ) async throws -> AccessService {
    var service = try await AccessService(
      store: store, configuration: configuration, url: url,
      operatorToken: identity.operatorToken,
      clock: plan.map { SkewedWallClock(SystemWallClock(), aheadBy: $0.clockSkew) } ?? SystemWallClock(),
      hashing: SecretHashing(plan?.hashing ?? .standard))
    service.onStoreFailure = observation.storeFailed
    if let copiedAt = service.copiedAt {
      observation.log.warning(
        """
        restored: the database is a copy of \(copiedAt.iso8601); tokens, sessions and challenges have ended, and cards need \
        new keys
        """)
    }
    return service
  }

  private func faulty(_ service: ReloadableService, _ plan: FaultPlan?, _ log: ServerLog) -> any AccessResponding {
    guard let plan else { return service }
    return FaultyResponder(service, plan) { log.warning("fault: \($0)") }
  }

  private static func announce(_ url: String, _ identity: ServingOptions.Identity, _ metricsURL: String?) {
    Console.print(
      JSONValue(members: [
        ("url", JSONValue(url)), ("ca", identity.authorityFile.map { JSONValue($0) }),
        ("metrics", metricsURL.map { JSONValue($0) }),
      ]))
  }

  /// Removes expired records from time to time, until the task is cancelled.
  private static func clean(_ service: ReloadableService) async throws {
    while true {
      try await Task.sleep(for: cleaningInterval)
      do throws(AccessStoreError) {
        _ = try await service.service.removeExpired()
      } catch {
        // The next round tries again.
        service.service.onStoreFailure(error)
      }
    }
  }
}
