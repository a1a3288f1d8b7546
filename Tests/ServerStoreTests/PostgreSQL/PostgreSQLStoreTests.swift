@testable import ServerStore
import TestSupport
import Testing

@Suite("A server's database on PostgreSQL", .blocks, .timeLimit(.minutes(20)))
struct PostgreSQLStoreTests {
  let server: PostgreSQLServer
  let schema: String
  let url: String

  init() throws {
    server = try PostgreSQLServer.shared.get()
    (schema, url) = try server.newSchema()
  }

  /// The error with which an opening fails.
  static func refusal(_ url: String, _ schema: AccessSchema = .current) -> AccessStoreError? {
    do throws(AccessStoreError) {
      _ = try PostgreSQLAccessStore(url: url, schema: schema)
      return nil
    } catch {
      return error
    }
  }

  /// Runs a transaction many times at once, on two stores of one database. Returns how often it returned true.
  func race(
    _ count: Int, _ stores: [PostgreSQLAccessStore],
    _ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Bool
  ) async throws -> Int {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<count { group.addTask { try await stores[index % stores.count].write(body) } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
  }

  @Test func `stores that start at the same time make the tables once`() async throws {
    let stores = try await withThrowingTaskGroup(of: PostgreSQLAccessStore.self) { [url] group in
      for _ in 0..<6 { group.addTask { try PostgreSQLAccessStore(url: url) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(try server.sql("SELECT version FROM \(schema).accessVersion") == "\(AccessSchema.current.version)")
    for store in stores { try await store.save { (store) throws(AccessError) in try store.save(Sample.audit) } }
    #expect(try server.sql("SELECT count(*) FROM \(schema).audit") == "6")
  }

  @Test func `of two stores under load, one uses a challenge, a token and a request identifier`() async throws {
    let stores = try [PostgreSQLAccessStore(url: url), PostgreSQLAccessStore(url: url)]
    try await stores[0].save { (store) throws(AccessError) in try store.save(Sample.device("a")) }
    for round in 0..<5 {
      try await stores[0].save { (store) throws(AccessError) in
        try store.save(Sample.challenge("c\(round)"))
        var token = Sample.token("t\(round)", for: "a")
        token.redeemedAt = nil
        try store.save(token)
      }
      let winners = try await race(30, stores) { (store) throws(AccessError) in
        guard try store.challenge("c\(round)") != nil else { return false }
        try store.remove(ChallengeRecord.self, "c\(round)")
        return true
      }
      #expect(winners == 1)
      let redeemers = try await race(30, stores) { (store) throws(AccessError) in
        guard var token = try store.outOfBandToken(TokenDigest(of: "t\(round)")), token.redeemedAt == nil else {
          return false
        }
        token.redeemedAt = 1
        try store.save(token)
        return true
      }
      #expect(redeemers == 1)
      let users = try await race(30, stores) { (store) throws(AccessError) in
        try store.addOnce(UsedRequestRecord(device: "a", requestID: "r\(round)", expiresAt: 100))
      }
      #expect(users == 1)
    }
  }

  @Test func `counts and counters of two stores under load are exact`() async throws {
    let stores = try [PostgreSQLAccessStore(url: url), PostgreSQLAccessStore(url: url)]
    let card = IssuedCardRecord(
      id: "card", device: "d", account: "alice", delivery: "delivery", name: "Visa", profile: "{}", createdAt: 1)
    try await stores[0].save { (store) throws(AccessError) in
      try store.save(card)
      try store.save(
        CardApplicationRecord(
          accountNumber: "4761000000000001", sequenceNumber: 0, card: "card", place: 0, freeCounter: 1))
    }
    _ = try await race(120, stores) { (store) throws(AccessError) in
      let count = try store.failures(of: "account:alice")?.count ?? 0
      try store.save(FailureRecord(subject: "account:alice", count: count + 1, expiresAt: 100))
      guard var line = try store.cardApplication("4761000000000001", 0) else { return false }
      try store.save(
        KeyDeliveryRecord(
          card: "card", delivery: "delivery \(line.freeCounter)", place: 0, firstCounter: line.freeCounter, uses: 5,
          createdAt: 1))
      line.freeCounter += 5
      try store.save(line)
      try store.save(Sample.audit)
      return true
    }
    #expect(try server.sql("SELECT count FROM \(schema).failure") == "120")
    #expect(try server.sql("SELECT freeCounter FROM \(schema).cardApplication") == "601")
    #expect(try server.sql("SELECT count(DISTINCT firstCounter) FROM \(schema).keyDelivery") == "120")
    #expect(try server.sql("SELECT count(*) FROM \(schema).audit") == "120")
  }

  @Test func `two devices of one name that are added at the same time are one device and one decision`() async throws {
    let stores = try [PostgreSQLAccessStore(url: url), PostgreSQLAccessStore(url: url)]
    for round in 0..<5 {
      let numbers = Array(0..<8)
      let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in numbers {
          group.addTask {
            try await stores[number % 2].write { (store) throws(AccessError) in
              guard try store.device(named: "Phone", of: "alice \(round)") == nil else { return false }
              try store.save(Sample.device("\(round) \(number)", of: "alice \(round)", named: "Phone"))
              return true
            }
          }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(winners == 1)
    }
  }

  @Test func `a database of an older version is upgraded and keeps its records, and a newer one is refused`()
    async throws
  {
    let first = try PostgreSQLAccessStore(url: url)
    try await first.save { (store) throws(AccessError) in try store.save(Sample.operation("s")) }
    let newer = AccessSchema(steps: AccessSchema.current.steps + ["ALTER TABLE operation ADD COLUMN further TEXT"])
    for _ in 1...2 {
      let store = try PostgreSQLAccessStore(url: url, schema: newer)
      #expect(
        try await store.read { (store) throws(AccessError) in try store.operation("s")?.state } == "succeeded")
    }
    let refused = Self.refusal(url)
    #expect(refused?.code == .newerVersion)
    #expect(
      refused?.reason.contains("version \(newer.version), and this program supports at most \(newer.version - 1)")
        == true)
  }

  @Test func `an upgrade that fails changes nothing`() throws {
    _ = try PostgreSQLAccessStore(url: url)
    let broken = AccessSchema(
      steps: AccessSchema.current.steps + ["DROP TABLE operation CASCADE; SELECT * FROM missing"])
    #expect(Self.refusal(url, broken)?.code == .damaged)
    #expect(Self.refusal(url) == nil)
  }

  @Test func `tables of another program are refused and not changed`() throws {
    try server.sql("CREATE TABLE \(schema).foreign_table (x INTEGER)")
    #expect(Self.refusal(url)?.code == .damaged)
    #expect(
      try server.sql("SELECT relname FROM pg_class WHERE relnamespace = '\(schema)'::regnamespace") == "foreign_table")
  }

  @Test func `tables and values of another form are damage`() async throws {
    let store = try PostgreSQLAccessStore(url: url)
    try await store.save { (store) throws(AccessError) in try store.save(Sample.challenge("c")) }
    for change in ["UPDATE \(schema).challenge SET registrationToken = '\\x00'", "DROP TABLE \(schema).challenge"] {
      try server.sql(change)
      await #expect {
        try await store.maintain(.read) { (store) throws(AccessError) in try store.challenge("c") }
      } throws: { ($0 as? AccessStoreError)?.code == .damaged }
    }
  }
}
