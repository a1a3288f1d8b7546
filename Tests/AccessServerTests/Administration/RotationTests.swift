import AccessMessages
import Documents
import FIDOUAF
import Foundation
import JOSE
import JSON
import Octets
@testable import ServerStore
import TestSupport
import Testing

@testable import AccessServer

@Suite("New generations of the server's keys", .blocks, .timeLimit(.minutes(20)))
struct RotationTests {
  static let oldKeys = "the keys of the payment are not accepted any more: replenish the card"

  private static func administration(_ server: TestServer) -> KeyAdministration {
    KeyAdministration(store: server.store, clock: server.clock)
  }

  /// Makes a new generation. The logs are searched for its key too.
  private static func rotate(
    _ kind: KeyAdministration.Kind, of server: TestServer, acceptedFor seconds: Int
  ) async throws -> Int {
    let generation = try await administration(server).rotate(kind, acceptedFor: seconds)
    for key in try await server.generatedKeys() { LogSearch.all.use(key.value) }
    return generation
  }

  @Test func `payments with former keys are accepted for the stated time, and replenished cards pay with new ones`()
    async throws
  {
    let cards = try await TestCards()
    let first = try await cards.add()
    #expect(try await cards.authorize(cards.request(first, counter: 1)).decision == .approved)
    #expect(try await Self.rotate(.issuer, of: cards.server, acceptedFor: 60) == 2)
    #expect(try await cards.authorize(cards.request(first, counter: 2)).decision == .approved)
    let second = try await cards.keys(first.card.id, "delivery-0000002", free: [11])
    #expect(try cards.content(await cards.add()).json == cards.content(first).json)
    #expect(second.card.acceptedFrom == nil)
    cards.server.advance(seconds: 60)
    #expect(try await cards.keys(first.card.id, "delivery-0000002").card.acceptedFrom == [11])
    let late = try await cards.authorize(cards.request(first, counter: 3))
    #expect(late.decision == .declined && late.responseCode == "05" && late.reason == Self.oldKeys)
    #expect(try await cards.authorize(cards.request(second, counter: 11)).decision == .approved)
    let records = try await cards.server.store.read { store throws(AccessError) in
      try store.keyDelivery("delivery-0000001", of: first.card.id)
        + store.keyDelivery("delivery-0000002", of: first.card.id)
    }
    #expect(records.map(\.generation) == [1, 2])
  }

  @Test func `a delivery whose keys are not accepted any more delivers new ones when it is repeated`() async throws {
    let cards = try await TestCards()
    let first = try await cards.add()
    _ = try await Self.rotate(.issuer, of: cards.server, acceptedFor: 0)
    let again = try await cards.add()
    #expect(again.card.id == first.card.id)
    #expect(try cards.content(again).keys.map(\.firstCounter) == [11])
    #expect(try await cards.authorize(cards.request(again, counter: 11)).decision == .approved)
  }

  @Test func `a rotation applies to mag-stripe mode`() async throws {
    let cards = try await TestCards(profile: "mastercard-magstripe")
    let first = try await cards.add()
    #expect(try await cards.authorize(cards.magStripeRequest(first, counter: 1)).decision == .approved)
    _ = try await Self.rotate(.issuer, of: cards.server, acceptedFor: 60)
    #expect(try await cards.authorize(cards.magStripeRequest(first, counter: 2)).decision == .approved)
    cards.server.advance(seconds: 60)
    #expect(try await cards.authorize(cards.magStripeRequest(first, counter: 3)).reason == Self.oldKeys)
    let second = try await cards.keys(first.card.id, "delivery-0000002", free: [11])
    // The track has the last digits of the counter only: the lowest one that ends in them is a new one.
    #expect(try await cards.authorize(cards.magStripeRequest(second, counter: 11)).decision == .approved)
  }

  @Test func `a signing card keeps the key that its certificates certify`() async throws {
    let cards = try await TestCards(profile: "visa-fdda")
    let first = try cards.content(await cards.add())
    _ = try await Self.rotate(.issuer, of: cards.server, acceptedFor: 0)
    let again = try cards.content(await cards.add())
    #expect(again.signingKey?.json == first.signingKey?.json && again.profile == first.profile)
    #expect(again.keys.map(\.json) != first.keys.map(\.json))
    let other = try cards.content(await cards.add("delivery-0000002"))
    #expect(other.signingKey != nil && other.signingKey?.json != first.signingKey?.json)
  }

  @Test func `authorizations name their key, and those of the former one end after the stated time`() async throws {
    let server = try await TestServer()
    let first = try await server.register(TestAuthenticator(), "alice")
    let administration = Self.administration(server)
    #expect(try await Self.rotate(.authorization, of: server, acceptedFor: 10) == 2)
    let second = try await server.register(TestAuthenticator(), "bob")
    let keys = try await administration.generations().filter { $0.kind == .authorization }
    #expect(keys.map(\.number) == [1, 2] && keys.map { $0.acceptedUntil == nil } == [false, true])
    for (token, key) in zip([first, second], keys) {
      let header = try JSONValue(parsing: [UInt8](base64URL: String(token.prefix { $0 != "." })))
      #expect(header["kid"]?.text == "\(key.number)")
      _ = try JSONWebSignature(verifying: token, with: JSONWebKey(#require(key.publicKey)))
      #expect(key.publicKey?["d"] == nil)
    }
    let ends = try await server.store.read { store throws(AccessError) in
      try ["alice", "bob"].map { account throws(AccessError) in try store.authorizations(of: account) }
    }
    let now = server.clock.now.epochMilliseconds
    #expect(ends.map { $0.map(\.expiresAt) } == [[now + 10_000], [now + 900_000]])
  }

  @Test(arguments: [["restored"], ["rotate", "issuer"], ["rotate", "list"]])
  func `a command for a database without the tables of a server changes nothing in it`(_ command: [String]) throws {
    let scratch = try Scratch()
    let empty = try scratch.write("empty.sqlite", "")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: empty)
    for (path, found) in [(empty, "has no tables"), (scratch.path("none"), "does not exist")] {
      let run = try CommandRun(command + ["--database", "sqlite:" + path])
      #expect(run.code == 1 && run.errors.contains("\(path) \(found)"), "\(run.errors)")
    }
    #expect(try Data(contentsOf: URL(filePath: empty)).isEmpty)
    #expect(!FileManager.default.fileExists(atPath: scratch.path("none")))
  }

  @Test func `rotate refuses the tables of an older version, and restored upgrades them`() throws {
    let scratch = try Scratch()
    let path = scratch.path("older.sqlite")
    let steps = Array(AccessSchema.current.steps.dropLast())
    _ = try SQLiteAccessStore(path: path, schema: AccessSchema(steps: steps))
    for command in ["issuer", "authorization", "list"] {
      let run = try CommandRun(["rotate", command, "--database", "sqlite:" + path])
      #expect(run.code == 1 && run.errors.contains("\(path) has version \(steps.count) and not"), "\(run.errors)")
    }
    #expect(DatabaseCheck(file: path).finding?.hasPrefix("version \(steps.count), which the next start") == true)
    #expect(try CommandRun(["restored", "--database", "sqlite:" + path]).code == 0)
    #expect(DatabaseCheck(file: path).finding?.hasPrefix("version \(steps.count + 1), ") == true)
  }

  @Test func `a running server uses the keys that another process has made from its next request on`() async throws {
    let scratch = try Scratch()
    let server = try RunningServer(in: scratch.directory.path)
    func rotate(_ arguments: String...) throws -> CommandRun {
      try CommandRun(["rotate"] + arguments + ["--database", "sqlite:" + server.database, "--format", "json"])
    }
    let run = try rotate("issuer", "--accept-seconds", "60")
    #expect(run.code == 0 && run.errors.isEmpty, "\(run.errors)")
    #expect(try run.lines().first?.compact == #"{"event": "generation", "keys": "issuer", "generation": 2}"#)
    #expect(try rotate("authorization").code == 0)
    let listed = try rotate("list").lines().dropLast()
    #expect(listed.map { $0["generation"] } == [1, 2, 1, 2])
    #expect(try rotate("issuer", "--accept-seconds", "-1").code == 64)
    // A server of this process on the same file.
    let other = try await TestServer(store: SQLiteAccessStore(path: server.database))
    let token = try await other.register(TestAuthenticator(), "alice")
    #expect(try JSONValue(parsing: [UInt8](base64URL: String(token.prefix { $0 != "." })))["kid"] == "2")
    #expect(try rotate("authorization").code == 0)
    let next = try await other.register(TestAuthenticator(), "bob")
    #expect(try JSONValue(parsing: [UInt8](base64URL: String(next.prefix { $0 != "." })))["kid"] == "3")
    #expect(try server.run("check").code == 0)
  }
}
