import AccessMessages
import Documents
import FIDOUAF
import Foundation
import HTTPSTransport
import JSON
import Octets
import RelyingParty
@testable import ServerShell
import TestSupport
import Testing

@testable import AccessServer

@Suite("A reload of a running server", .blocks, .timeLimit(.minutes(20)))
struct ReloadTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let notice = "info: reloaded: "
  private static let refusal = "error: nothing was reloaded: the server goes on with what it had"

  private func server(latest: String = "1", _ arguments: [String] = []) throws -> RunningServer {
    try RunningServer(in: scratch.directory.path, arguments, settings: Self.settings(latest: latest))
  }

  private static func settings(latest: String, further: String = "") -> String {
    """
    , "openRegistration": false, "appVersions": {"minimum": "1", "latest": "\(latest)", "url": "https://x.test"}\(further)
    """
  }

  private func configure(_ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: scratch.path("configuration.json")))
  }

  /// Puts the files of a new self-signed identity in place of the server's.
  private func replaceIdentity(of server: RunningServer, _ names: [String]) throws {
    let other = scratch.path("other")
    _ = try SelfSignedIdentity(directory: other, host: "127.0.0.1", at: SystemWallClock().now)
    for name in names {
      let file = server.identity + "/" + name
      try FileManager.default.removeItem(atPath: file)
      try FileManager.default.moveItem(atPath: other + "/" + name, toPath: file)
    }
  }

  /// - Parameter end: How the last event begins.
  private func hangUp(_ server: RunningServer, _ end: String) async throws {
    server.process.signal(SIGHUP)
    try #require(
      try await server.process.meets { RunningServer.events(of: $0).last?.hasPrefix(end) == true },
      "\(server.process.errors)")
  }

  /// The fingerprint of the server's certificate in a file, as OpenSSL prints it.
  private func fingerprint(_ server: RunningServer) throws -> String {
    let run = try ProgramRun(
      "openssl", ["x509", "-in", server.identity + "/certificate.pem", "-noout", "-fingerprint", "-sha256"])
    try #require(try run.finish() == .exited(0), "\(run.errors)")
    return String(try #require(run.output.split(separator: "=").last)).trimmingCharacters(in: .newlines)
  }

  private func latest(_ server: RunningServer) async throws -> String {
    let response = try await server.exchange().send(HTTPRequest(.get, server.url + AccessPath.linuxVersions))
    return try ClientVersions(JSONValue(parsing: response.body)).latest
  }

  @Test func `SIGHUP gives new connections the new certificate, and an open one ends after its next response`()
    async throws
  {
    let server = try server()
    let marker = scratch.path("go-on")
    let client = try ProgramRun("/usr/bin/python3", ["-c", Self.connection + Self.client, server.url, marker])
    try #require(try await client.meets { $0.output.contains("first") }, "\(client.errors)")
    try replaceIdentity(of: server, ["ca.pem", "certificate.pem", "key.pem", "operator.token"])
    try await hangUp(server, Self.notice)
    _ = try scratch.write("go-on", "")
    #expect(try client.finish(timeout: .seconds(60)) == .exited(0), "\(client.errors)")
    let lines = client.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    // The name of the line, the status, whether the server asks to close, and the digest of the certificate.
    try #require(lines.map { $0[0] } == ["first", "second", "ended", "third"])
    let answered = lines.filter { $0.count > 1 }
    #expect(answered.map { $0[1] } == ["200", "200", "200"])
    #expect(answered.map { $0[2] } == ["open", "close", "open"])
    #expect(answered[0][3] != answered[2][3])
    // A client that trusts the new authority, with the new token.
    #expect(try server.run("check").code == 0)
  }

  /// Clients send requests one after the other while the server reloads five times, the third time with a new certificate or
  /// not. Returns how many connections they needed beyond their first ones.
  private func reconnections(withNewCertificate hasNew: Bool) async throws -> Int {
    let server = try server()
    let marker = scratch.path("end")
    let clients = try ProgramRun("/usr/bin/python3", ["-c", Self.connection + Self.steadyClients, server.url, marker])
    try #require(try await clients.meets { $0.output.contains("ready") }, "\(clients.errors)")
    for round in 1...5 {
      try configure("{\"cards\": []\(Self.settings(latest: "\(round + 1)"))}")
      if hasNew, round == 3 {
        try replaceIdentity(of: server, ["ca.pem", "certificate.pem", "key.pem", "operator.token"])
      }
      server.process.signal(SIGHUP)
      try #require(
        try await server.process.meets { RunningServer.events(of: $0).count { $0.hasPrefix(Self.notice) } == round },
        "\(server.process.errors)")
    }
    #expect(try await latest(server) == "6")
    _ = try scratch.write("end", "")
    #expect(try clients.finish(timeout: .seconds(60)) == .exited(0), "\(clients.errors)")
    return try #require(clients.output.split(separator: "\n").last.flatMap { Int($0) })
  }

  @Test func `no request fails during reloads, and connections stay open when the certificate is the same`()
    async throws
  {
    #expect(try await reconnections(withNewCertificate: false) == 0)
  }

  @Test func `no request fails during reloads with a new certificate, and each client connects again once`()
    async throws
  {
    #expect(try await reconnections(withNewCertificate: true) == 4)
  }

  @Test func `SIGHUP names a file that a link moved to a folder that the server gave up`() async throws {
    let server = try server(latest: "1")
    let elsewhere = try Scratch()
    let moved = try elsewhere.write("configuration.json", "{\"cards\": []\(Self.settings(latest: "2"))}")
    let path = scratch.path("configuration.json")
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: moved)
    try await hangUp(server, Self.refusal)
    let reason = "is in a folder that this server gave up at its start; restart it to read this file"
    #expect(server.events.contains("error: \(path) \(reason)"), "\(server.events)")
    #expect(try await latest(server) == "1")
  }

  @Test func `SIGHUP changes the configuration of later requests, and names the keys that need a restart`() async throws
  {
    let server = try server(latest: "1")
    #expect(try await latest(server) == "1")
    let further =
      #", "connections": {"perAddress": 7}, "trustedProxies": ["10.0.0.0/8"], "onTampering": "silence", "refuse": ["root"]"#
    try configure("{\"cards\": []\(Self.settings(latest: "2", further: further))}")
    try await hangUp(server, "warning: refuse: the change takes effect after a restart")
    #expect(
      server.events == [
        Self.notice + "certificate unchanged (SHA-256 \(try fingerprint(server))), key unchanged, "
          + "operator's token unchanged, configuration changed",
        "warning: connections: the change takes effect after a restart",
        "warning: trustedProxies: the change takes effect after a restart",
        "warning: onTampering: the change takes effect after a restart",
        "warning: refuse: the change takes effect after a restart",
      ])
    #expect(try await latest(server) == "2")
  }

  @Test func `the log of a reload names what has changed, and a certificate by its fingerprint`() async throws {
    let server = try server()
    let before = try fingerprint(server)
    try await hangUp(server, Self.notice)
    try replaceIdentity(of: server, ["operator.token"])
    server.process.signal(SIGHUP)
    let token = "operator's token changed, configuration unchanged"
    try #require(try await server.process.meets { RunningServer.events(of: $0).last?.hasSuffix(token) == true })
    try FileManager.default.removeItem(atPath: scratch.path("other"))
    try replaceIdentity(of: server, ["ca.pem", "certificate.pem", "key.pem"])
    server.process.signal(SIGHUP)
    try #require(
      try await server.process.meets { RunningServer.events(of: $0).last?.contains("key changed") == true },
      "\(server.process.errors)")
    let after = try fingerprint(server)
    #expect(
      server.events == [
        Self.notice + "certificate unchanged (SHA-256 \(before)), key unchanged, operator's token unchanged, "
          + "configuration unchanged",
        Self.notice + "certificate unchanged (SHA-256 \(before)), key unchanged, \(token)",
        Self.notice + "certificate changed (SHA-256 \(after)), key changed, operator's token unchanged, "
          + "configuration unchanged",
      ])
    #expect(before != after)
  }

  @Test func `SIGHUP names a key that an option of the command line comes before`() async throws {
    let server = try server(latest: "1", ["--refuse", "none"])
    try configure("{\"cards\": []\(Self.settings(latest: "2", further: #", "refuse": ["root"]"#))}")
    try await hangUp(server, "warning: refuse: the change has no effect, since --refuse comes first")
  }

  @Test func `SIGHUP with wrong files reports every problem, and the server keeps all it had`() async throws {
    let server = try server(latest: "1")
    let authority = try Data(contentsOf: URL(filePath: server.authority))
    try replaceIdentity(of: server, ["key.pem", "ca.pem"])
    try authority.write(to: URL(filePath: server.authority))
    try configure("{\"cards\": 5, \"uses\": 0, \"x\": 1\(Self.settings(latest: "2"))}")
    try await hangUp(server, Self.refusal)
    let lines = server.events
    #expect(lines.count == 5, "\(server.process.errors)")
    for (line, place) in zip(lines, ["$.cards", "$.uses", "$.x", "key.pem"]) {
      #expect(line.hasPrefix("error: ") && line.contains(place), "\(line)")
    }
    // With the former certificate.
    #expect(try await latest(server) == "1")
  }

  @Test func `a binding to the former certificate holds until its last challenge has expired`() async throws {
    let (old, new) = (ChannelBinding(serverCertificate: "old"), ChannelBinding(serverCertificate: "new"))
    let first = try await TestServer { $0.channelBinding = old }
    var authenticator = TestAuthenticator()
    authenticator.channelBinding = old
    try await first.register(authenticator, "alice")
    let open = try await first.authenticationRequest(RequestContext(userName: "alice"))
    let server = first.reloaded { $0.channelBinding = new }
    let answer = try await server.respond(.authenticationResponse(authenticator.authentication(open)))
    #expect(answer.status == .ok)
    // The time of a challenge, and of a request and its response on a connection that is open.
    server.advance(seconds: 540 + 60)
    #expect(try await server.authenticate(authenticator, "alice").status == .channelBindingRefused)
    authenticator.channelBinding = new
    #expect(try await server.authenticate(authenticator, "alice").status == .ok)
  }

  @Test func `the binding to the certificate before the former one holds as long as its challenges`() async throws {
    let bindings = ["a", "b", "c"].map { ChannelBinding(serverCertificate: $0) }
    var server = try await TestServer { $0.channelBinding = bindings[0] }
    for binding in bindings.dropFirst() { server = server.reloaded { $0.channelBinding = binding } }
    func accepted() -> [Bool] {
      bindings.map { server.service.configuration.acceptedClients(at: server.service.now).accepts($0) }
    }
    #expect(accepted() == [true, true, true])
    server.advance(seconds: 540 + 60)
    #expect(accepted() == [false, false, true])
  }

  /// Sends a request on a connection. Returns the status and whether the server asks to close.
  private static let connection = """
    import hashlib, os, socket, ssl, sys, threading, time
    port, marker = int(sys.argv[1].rsplit(":", 1)[1]), sys.argv[2]
    tls = ssl.create_default_context()
    tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
    def connect():
        return tls.wrap_socket(socket.create_connection(("127.0.0.1", port)), suppress_ragged_eofs=False)
    def receive(client):
        part = client.recv(65536)
        assert part, "the server closed the connection without a response"
        return part
    def ask(client):
        client.sendall(b"GET /app-versions/linux HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
        data = b""
        while b"\\r\\n\\r\\n" not in data:
            data += receive(client)
        head, body = data.split(b"\\r\\n\\r\\n", 1)
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\\r\\n")[1:])
        while len(body) < int(fields[b"content-length"]):
            body += receive(client)
        return head.split()[1].decode(), "close" if fields.get(b"connection") == b"close" else "open"

    """

  /// Sends a request, waits for a file, sends another one on the same connection, and one on a new connection.
  private static let client = """
    def show(name, client):
        status, end = ask(client)
        digest = hashlib.sha256(client.getpeercert(True)).hexdigest()
        print(name, status, end, digest, flush=True)
    client = connect()
    show("first", client)
    while not os.path.exists(marker):
        time.sleep(0.005)
    show("second", client)
    # The closing message of TLS: a connection that is cut would be an error.
    assert client.recv(1) == b""
    print("ended", flush=True)
    show("third", connect())
    """

  /// Four clients that send requests, each on one connection until the server asks to close it, until there is a file. Prints
  /// how many further connections they made.
  private static let steadyClients = """
    again, running, failures = [], [], []
    def run():
        try:
            client = connect()
            ask(client)
            running.append(client)
            is_last = False
            while not is_last:
                time.sleep(0.02)
                is_last = os.path.exists(marker)
                status, end = ask(client)
                assert status == "200", status
                if end == "close":
                    client = connect()
                    again.append(client)
        except BaseException as failure:
            failures.append(failure)
            raise
    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    while len(running) < 4 and not failures:
        time.sleep(0.005)
    print("ready", flush=True)
    for thread in threads:
        thread.join()
    assert not failures, failures
    print(len(again))
    """
}
