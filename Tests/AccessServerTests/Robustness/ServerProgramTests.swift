import AccessMessages
import Foundation
import HTTPSTransport
import JSON
import TestSupport
import Testing

@Suite("The program tap-server", .blocks, .timeLimit(.minutes(20)))
struct ServerProgramTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  func arguments(_ further: String...) -> [String] {
    ["--listen", "127.0.0.1:0", "--database", "sqlite:\(scratch.path("db"))"] + further
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `a signal ends the server with exit code 0, and it has printed one line`(_ signal: Int32) throws {
    let server = try RunningServer(in: scratch.directory.path)
    server.process.signal(signal)
    #expect(try server.process.finish(timeout: .seconds(30)) == .exited(0))
    let lines = server.process.output.split(separator: "\n")
    #expect(lines.count == 1)
    let line = try JSONValue(parsing: Array(lines[0].utf8))
    #expect(line["url"]?.text == server.url && line["ca"]?.text == server.authority)
    #expect(try messages(of: server).map { $0.prefix(20) } == ["registration is open", "the server ends: ope"])
  }

  @Test func `a word that is no subcommand is wrong usage, and the nearest one is named`() throws {
    let run = try ProgramRun(RunningServer.program, ["wallets", "list"])
    #expect(try run.finish(timeout: .seconds(60)) == .exited(64))
    #expect(run.errors.hasPrefix("error: unknown command \"wallets\". Did you mean \"wallet\"?\n"), "\(run.errors)")
    #expect(!run.errors.contains("--listen"), "\(run.errors)")
  }

  @Test(arguments: ["1969-12-31 23:00:00", "2050-01-01 00:00:00"])
  func `a clock outside 1970 to 2049 is an error that names it`(_ date: String) throws {
    let server = try ProgramRun(
      "faketime", [date + " UTC", RunningServer.program] + arguments("--self-signed", scratch.path("identity")),
      environment: ["TZ": "UTC"])
    #expect(try server.finish(timeout: .seconds(60)) == .exited(1))
    #expect(server.errors.contains("the machine's clock shows \(date.prefix(10))"), "\(server.errors)")
    #expect(server.errors.contains("1970 to 2049"), "\(server.errors)")
  }

  @Test func `--self-signed says at the start that registration is open, unless it is not`() throws {
    let closed = try scratch.write("closed.json", #"{"openRegistration": false}"#)
    for (options, notes) in [([], 1), (["--configuration", closed], 0)] {
      let server = try RunningServer(in: scratch.directory.path, options)
      server.process.signal(SIGTERM)
      #expect(try server.process.finish(timeout: .seconds(30)) == .exited(0))
      let messages = try messages(of: server)
      #expect(messages.count { $0.hasPrefix("registration is open: ") } == notes, "\(messages)")
    }
  }

  @Test func `a request that is open when the signal comes is answered`() async throws {
    let (server, response) = try await slowRequest(milliseconds: 1_500)
    server.process.signal(SIGTERM)
    #expect(try await response.value.status == 200)
    #expect(try await server.process.meets { $0.poll() == .exited(0) })
  }

  @Test func `a request that needs longer than 10 s is given up after a signal`() async throws {
    let (server, response) = try await slowRequest(milliseconds: 600_000)
    server.process.signal(SIGTERM)
    #expect(try await server.process.meets { $0.poll() == .exited(0) })
    await #expect(throws: HTTPExchangeError.self) { try await response.value }
  }

  /// The messages of the log of a server, without those of requests.
  func messages(of server: RunningServer) throws -> [String] {
    try server.process.errors.split(separator: "\n")
      .compactMap { try JSONValue(parsing: Array($0.utf8))["message"]?.text }
      .filter { $0 != "request" && !$0.hasPrefix("this program ") }
  }

  /// A server and a request that has arrived there and waits for its response.
  func slowRequest(milliseconds: Int) async throws -> (RunningServer, Task<HTTPResponse, any Error>) {
    let plan = try scratch.write("slow.json", #"{"faults": [{"fault": "slow", "milliseconds": \#(milliseconds)}]}"#)
    let server = try RunningServer(in: scratch.directory.path, ["--faults", plan])
    let (exchange, url) = (try server.exchange(), server.url)
    let response = Task { try await exchange.send(HTTPRequest(.get, url + AccessPath.linuxVersions)) }
    let announcement = "fault: slow, \(milliseconds) ms: GET \(AccessPath.linuxVersions)"
    try #require(try await server.process.meets { $0.errors.contains(announcement) }, "\(server.process.errors)")
    return (server, response)
  }

  @Test func `a server whose database file was removed says so once, and fails its check`() throws {
    let server = try RunningServer(in: scratch.directory.path, settings: #", "openRegistration": false"#)
    #expect(try server.run("check").code == 0)
    try FileManager.default.removeItem(atPath: server.database)
    for _ in 1...2 { #expect(try server.run("check").code == 1) }
    let messages = try messages(of: server)
    #expect(messages.count == 1 && messages[0].contains("\(server.database) was removed or replaced"), "\(messages)")
  }

  @Test func `faults are announced at the start`() throws {
    let plan = try scratch.write("faults.json", #"{"faults": [{"fault": "serverError"}]}"#)
    let faulty = try RunningServer(in: scratch.directory.path, ["--faults", plan])
    #expect(faulty.process.errors.contains("this server commits the faults of \(plan) on purpose"))
    #expect(try faulty.run("check").code == 1)
  }

  @Test func `a cut connection gives the client half a response`() async throws {
    let plan = try scratch.write(
      "faults.json", #"{"faults": [{"fault": "cutConnection", "path": "/app-versions"}]}"#)
    let server = try RunningServer(in: scratch.directory.path, ["--faults", plan])
    let exchange = try server.exchange()
    await #expect(throws: HTTPExchangeError.self) {
      try await exchange.send(HTTPRequest(.get, server.url + AccessPath.linuxVersions))
    }
    #expect(try server.run("user", "add", "alice").code == 0)
  }

  @Test func `all problems of a configuration are reported with their places`() throws {
    let configuration = try scratch.write(
      "configuration.json",
      """
      {
        "appID": "", "facets": ["ios:bundle-id:a", 5],
        "openRegistration": "yes",
        "lifetimes": {"request": 0, "tokens": 5},
        "unknown": 1
      }
      """)
    let run = try CommandRun(arguments("--self-signed", scratch.path("identity"), "--configuration", configuration))
    #expect(run.code == 2 && run.output == "")
    for place in [
      "line 2, column 12, $.appID", "line 2, column 46, $.facets[1]", "line 3, column 23, $.openRegistration",
      "line 4, column 28, $.lifetimes.request", "$.lifetimes.tokens", "$.unknown",
    ] {
      let lines = run.errors.split(separator: "\n")
      #expect(lines.contains { $0.hasPrefix("error: \(configuration): ") && $0.contains(place) }, "\(run.errors)")
    }
  }

  @Test(arguments: [
    [], ["--certificate", "a"], ["--self-signed", "a", "--certificate", "b", "--key", "c"],
    ["--self-signed", "a", "--listen", "nonsense"], ["--self-signed", "a", "--database", "oracle:x"],
  ])
  func `wrong usage ends with exit code 64`(_ further: [String]) throws {
    let base = further.contains("--listen") || further.contains("--database") ? [] : arguments()
    #expect(try CommandRun(base + further).code == 64)
  }

  @Test func `a server that cannot start reports the reason`() throws {
    let damaged = try scratch.write("damaged", String(repeating: "this is no database", count: 100))
    let identity = scratch.path("identity")
    let run = try CommandRun([
      "--listen", "127.0.0.1:0", "--database", "sqlite:\(damaged)", "--self-signed", identity,
    ])
    #expect(run.code == 2 && run.errors.contains("\(damaged) is not a valid SQLite database"), "\(run.errors)")
    let running = try RunningServer(in: scratch.directory.path)
    let address = String(running.url.dropFirst("https://".count))
    let second = try CommandRun(["--listen", address, "--database", "memory", "--self-signed", identity])
    #expect(second.code == 1)
    #expect(
      second.errors == "error: \(address) is in use by another program; name another port, or 0 for any free one\n")
  }
}
