import AccessMessages
import Foundation
import HTTPSTransport
import JSON
import TestSupport
import Testing

@Suite("A server with slow clients", .blocks, .timeLimit(.minutes(20)))
struct SlowClientTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func server(_ settings: String) throws -> RunningServer {
    // Clients that do not read send some 100,000 requests, all of two kinds: their lines need not be searched.
    try RunningServer(in: scratch.directory.path, ["--log-level", "warning"], settings: settings)
  }

  private func descriptors(of server: RunningServer) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(server.process.identifier)/fd").count
  }

  /// The memory of a server that is not shared with files, in MB.
  private func memory(of server: RunningServer) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(server.process.identifier)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
    return try #require(Int(line.split(whereSeparator: \.isWhitespace)[1])) / 1_024
  }

  @Test(arguments: SlowClients.Kind.allCases)
  func `clients that are too slow are closed, and leave memory and descriptors as before`(
    _ kind: SlowClients.Kind
  ) async throws {
    let server = try server(
      #", "connections": {"requestSeconds": 5, "responseSeconds": 5, "perAddress": 1000}"#)
    #expect(try server.run("check").code == 0)
    // The first clients make what the server keeps for further ones. Each connection holds about 0.8 MB, and the
    // allocator keeps the memory of as many as were open at the same time: the more of them, the more it keeps. So
    // rounds follow until one adds nothing; a server that loses memory grows in each.
    try await meet(kind, at: server)
    let descriptors = try descriptors(of: server)
    var memory = [try memory(of: server)]
    repeat {
      try await meet(kind, at: server)
      memory.append(try self.memory(of: server))
    } while memory.count < 6 && memory[memory.count - 1] >= memory[memory.count - 2] + 16
    #expect(try await server.process.meets { _ in ((try? self.descriptors(of: server)) ?? .max) <= descriptors + 4 })
    #expect(memory[memory.count - 1] < memory[memory.count - 2] + 16 && memory.allSatisfy { $0 < 320 }, "\(memory) MB")
    #expect(try server.run("check").code == 0)
  }

  /// 100 slow clients at the same time, until the server has closed all of them. Those that do not read are 30, since each of
  /// them sends some 500 requests: if the server kept their connections, it would still grow by 24 MB.
  private func meet(_ kind: SlowClients.Kind, at server: RunningServer) async throws {
    let clients = try SlowClients.start([kind], count: kind == .unread ? 30 : 100, url: server.url)
    try #require(
      try await clients.meets(timeout: .seconds(240)) { $0.output.contains("closed") },
      "\(clients.output)\(clients.errors)")
    #expect(try clients.finish() == .exited(0))
  }

  @Test func `a signal ends the server within 10 s, whatever its clients do`() async throws {
    let server = try server(#", "connections": {"requestSeconds": 3600, "responseSeconds": 3600}"#)
    let clients = try SlowClients.start(SlowClients.Kind.allCases, count: 40, url: server.url)
    try #require(try await clients.meets { $0.output.contains("ready") }, "\(clients.errors)")
    let start = ContinuousClock.now
    server.process.signal(SIGTERM)
    #expect(try await server.process.meets { $0.poll() == .exited(0) })
    // 2 s more than the limit, for a busy machine.
    #expect(ContinuousClock.now - start < .seconds(12))
    #expect(try clients.finish() == .exited(0))
  }

  @Test func `an address has as many connections as the configuration allows, a trusted proxy more`() async throws {
    for (settings, lost) in [
      (#", "connections": {"perAddress": 3}"#, 2),
      (#", "connections": {"perAddress": 3}, "trustedProxies": ["127.0.0.0/8"]"#, 0),
    ] {
      let server = try server(settings)
      let clients = try SlowClients.start([.idle], count: 5, url: server.url)
      #expect(try await clients.meets { $0.output.contains("lost \(lost)\n") }, "\(clients.output)\(clients.errors)")
      server.process.signal(SIGTERM)
      #expect(try await server.process.meets { $0.poll() == .exited(0) })
      #expect(try clients.finish() == .exited(0))
    }
  }

  @Test func `the address of a client behind a trusted proxy is the last one that is not a proxy`() async throws {
    let server = try server(#", "trustedProxies": ["127.0.0.1", "10.0.0.0/8", "2001:db8:1::/48"]"#)
    let exchange = try server.exchange()
    let cases: [([(String, String)], String)] = [
      ([], "127.0.0.1"),
      ([("X-Forwarded-For", "192.0.2.1")], "192.0.2.1"),
      ([("X-Forwarded-For", "198.51.100.9, 192.0.2.2, 10.1.2.3")], "192.0.2.2"),
      ([("X-Forwarded-For", "192.0.2.3:4711")], "192.0.2.3"),
      ([("X-Forwarded-For", "10.0.0.7")], "10.0.0.7"),
      ([("X-Forwarded-For", "unknown, 10.0.0.8")], "10.0.0.8"),
      ([("Forwarded", "for=192.0.2.4;proto=https")], "192.0.2.4"),
      ([("Forwarded", #"for=198.51.100.9, For="[2001:db8:2::1]:4711", for="[2001:db8:1::9]""#)], "2001:db8:2::1"),
      ([("Forwarded", "for=_hidden")], "127.0.0.1"),
      ([("Forwarded", "for=192.0.2.5"), ("X-Forwarded-For", "192.0.2.5")], "192.0.2.5"),
      ([("Forwarded", "for=192.0.2.6"), ("X-Forwarded-For", "192.0.2.7")], "127.0.0.1"),
    ]
    for (index, (headers, address)) in cases.enumerated() {
      let fields = headers.map { HTTPField($0.0, $0.1) }
      let token = HTTPField("Authorization", "Bearer \(try server.operatorToken())")
      let user = try await exchange.send(
        HTTPRequest(
          .post, server.url + OperatorPath.users,
          fields: fields + [token, HTTPField("Content-Type", MediaType.withCharacterSet(MediaType.json))],
          body: Array(#"{"name": "user\#(index)"}"#.utf8)))
      #expect((200...201).contains(user.status))
      let trail = try await exchange.send(
        HTTPRequest(
          .get, server.url + OperatorPath.audit + "?limit=1",
          fields: [token]))
      #expect(String(decoding: trail.body, as: UTF8.self).contains(#""\#(address)""#), "\(headers)")
    }
  }
}
