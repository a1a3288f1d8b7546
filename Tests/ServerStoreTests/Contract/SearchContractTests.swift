@testable import ServerStore
import TestSupport
import Testing

/// The contract of the search of the operator's page.
@Suite("The contract of a server's store: search", .blocks, .timeLimit(.minutes(20)))
struct SearchContractTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let people = [
    ("w1", "alice@example.org", "Alice", "Example"), ("w2", "bob@example.org", "Bob", "Müller"),
    ("w3", "al_x@example.org", "ÖZLEM", "van der Berg"), ("w4", "alan@example.org", "Alan", "MÜLLER"),
  ]

  private static func fill(_ store: AccessTransaction) throws(AccessError) {
    for (id, userName, first, last) in people {
      var wallet = Sample.wallet(id)
      (wallet.userName, wallet.firstName, wallet.lastName) = (userName, first, last)
      try store.save(wallet)
    }
    for (id, name) in [("D-3", "phone"), ("D-1", "Phone"), ("d-2", "Tablet"), ("D-4", "PHONE 2")] {
      var device = Sample.walletDevice(id, of: "w1")
      device.name = name
      try store.save(device)
    }
    try store.save(Sample.device("T-1", of: "Carol", named: "Phone"))
    try store.save(Sample.device("T-2", of: "carl", named: "100% mine"))
    for name in ["Carol", "carl", "čapek"] { try store.save(UserRecord(name: name, createdAt: 1)) }
    for (id, numbers) in [
      ("c1", ["99990000001234"]), ("c2", ["4761739001011234", "999900000000012341"]), ("c3", ["12340001"]),
    ] {
      try store.save(CardContractTests.card(id))
      for (place, number) in numbers.enumerated() {
        try store.save(
          CardApplicationRecord(accountNumber: number, sequenceNumber: place, card: id, place: place, freeCounter: 1))
      }
    }
  }

  /// The identities of the records that a field finds, read in pages.
  private static func found(
    _ field: SearchField, _ text: String, pageCount: Int, _ store: AccessTransaction
  ) throws(AccessError) -> [String] {
    func pages<Record: StoredRecord>(_ type: Record.Type) throws(AccessError) -> [String] {
      var (identities, place): ([String], SearchPlace?) = ([], nil)
      while true {
        let page: [Found<Record>] = try store.search(field, text, after: place, limit: pageCount)
        identities += page.map(\.place.identity)
        guard page.count == pageCount else { return identities }
        place = page.last?.place
      }
    }
    switch field {
    case .userName, .fullName, .lastName: return try pages(EnrolledWalletRecord.self)
    case .account: return try pages(UserRecord.self)
    case .walletDeviceName, .walletDeviceID: return try pages(WalletDeviceRecord.self)
    case .deviceName, .deviceID, .targetID: return try pages(DispatchTargetRecord.self)
    case .lastDigits: return try pages(IssuedCardRecord.self)
    }
  }

  private static let searches: [(SearchField, String, [String])] = [
    (.userName, "AL", ["w3", "w4", "w1"]), (.userName, "al_", ["w3"]), (.userName, "example", []),
    (.fullName, "alice ex", ["w1"]), (.fullName, "AL", ["w4", "w1"]), (.fullName, "özlem", ["w3"]),
    (.lastName, "mül", ["w4", "w2"]), (.lastName, "MÜLLER", ["w4", "w2"]), (.lastName, "%", []),
    (.lastName, "Van Der", ["w3"]), (.account, "car", ["carl", "Carol"]), (.account, "Čap", ["čapek"]),
    (.walletDeviceName, "phone", ["D-1", "D-3", "D-4"]), (.walletDeviceName, "\u{10FFFF}", []),
    (.walletDeviceID, "D-", ["D-1", "D-3", "D-4"]), (.deviceName, "100%", ["T-2"]),
    (.deviceID, "client-", ["T-1", "T-2"]),
    (.targetID, "T-1", ["T-1"]), (.targetID, "' OR 1=1 --", []), (.lastDigits, "1234", ["c1", "c2"]),
    (.lastDigits, "2341", ["c2"]), (.lastDigits, "0001", ["c3"]), (.lastDigits, "234", []), (.lastDigits, "１２３４", []),
  ]

  @Test(arguments: StoreKind.allCases)
  func `a search finds the beginnings of values in letters of any case, and the last four digits of cards`(
    _ kind: StoreKind
  ) async throws {
    let store = try kind.store(in: scratch)
    try await store.save(Self.fill)
    try await store.read { (store) throws(AccessError) in
      for (field, text, expected) in Self.searches {
        for count in [1, 2, 50] {
          let found = try Self.found(field, text, pageCount: count, store)
          #expect(found == expected, "\(field) \(text) in pages of \(count)")
        }
      }
    }
  }

  @Test func `every search, list and filter of the operator's page reads an index and no whole table`() async throws {
    try await StoreKind.memory.store(in: scratch).read { (store) throws(AccessError) in
      let store = AccessTransaction(connection: ExplainingConnection(connection: store.connection))
      for field in SearchField.allCases { _ = try Self.found(field, "1234", pageCount: 50, store) }
      for filter in [AuditFilter(), AuditFilter(account: "a", event: "e", result: "r"), AuditFilter(event: "e")] {
        _ = try store.auditEntries(filter, before: AuditPlace(at: 9, number: 9), limit: 50)
      }
      _ = try store.newest(CardAttemptRecord.self, before: nil, limit: 50)
      _ = try store.newest(CardPaymentRecord.self, before: nil, limit: 50)
      _ = try store.cards(of: "a", after: "b", limit: 50)
      _ = try store.walletDevices(after: "a", limit: 50)
      _ = try store.personName(ofWallet: "a")
    }
  }
}

/// Asks SQLite how it would read instead of reading.
private struct ExplainingConnection: SQLConnection {
  let connection: any SQLConnection

  func rows(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) -> [SQLRow] {
    for step in try connection.rows("EXPLAIN QUERY PLAN " + sql, arguments) {
      guard case .text(let detail)? = step["detail"] else { continue }
      #expect(!detail.hasPrefix("SCAN") && !detail.contains("TEMP B-TREE"), "\(detail): \(sql)")
    }
    return []
  }

  func change(_ sql: String, _ arguments: [SQLValue]) throws(AccessStoreError) -> Int { 0 }
}
