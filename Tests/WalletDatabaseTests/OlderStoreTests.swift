@testable import ContactlessPayment
import EMVCard
import Foundation
import GRDB
import Octets
import Testing

@testable import WalletDatabase

/// Stores in the format of older versions.
@Suite("An older wallet store")
struct OlderStoreTests {
  let folder = Folder()

  /// The tables of version 1, as that version created them.
  static let version1 = """
    CREATE TABLE card (
      place INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      profile BLOB NOT NULL,
      state TEXT NOT NULL,
      isDefault INTEGER NOT NULL CHECK (isDefault IN (0, 1))
    ) STRICT;
    CREATE UNIQUE INDEX onlyDefault ON card (isDefault) WHERE isDefault = 1;
    CREATE TABLE account (
      card INTEGER NOT NULL REFERENCES card (place) ON DELETE CASCADE,
      application INTEGER NOT NULL,
      masterKey BLOB NOT NULL CHECK (length(masterKey) = 16),
      nextCounter INTEGER NOT NULL CHECK (nextCounter BETWEEN 0 AND 65536),
      usesLeft INTEGER NOT NULL CHECK (usesLeft BETWEEN 0 AND 65535),
      PRIMARY KEY (card, application)
    ) STRICT;
    CREATE TABLE reservation (
      name INTEGER PRIMARY KEY AUTOINCREMENT,
      owner INTEGER NOT NULL,
      card INTEGER NOT NULL REFERENCES card (place) ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX reservationByCard ON reservation (card);
    CREATE TABLE reservedUse (
      reservation INTEGER NOT NULL REFERENCES reservation (name) ON DELETE CASCADE,
      application INTEGER NOT NULL,
      counter INTEGER NOT NULL,
      PRIMARY KEY (reservation, application)
    ) STRICT;
    PRAGMA application_id = 0x43544C53;
    PRAGMA user_version = 1;
    """

  /// Creates a store of version 1 with one suspended card, 7 and 9 uses left, and a reservation left by a crash.
  func make() throws {
    try folder.make()
    let image = try TestCard.image()
    let keys = TestCard.keys(for: image, uses: 0).map { key in
      key.masterKey.withExposedOctets { octets in Data(octets.indices.map { octets[$0] }) }
    }
    let queue = try DatabaseQueue(path: folder.database)
    try queue.write { database in
      try database.execute(sql: Self.version1)
      try database.execute(
        sql: "INSERT INTO card (id, profile, state, isDefault) VALUES ('old', ?, 'suspended', 1)",
        arguments: [Data(try #require(image.json))])
      for (place, row) in zip(keys, [(40, 7), (50, 9)]).enumerated() {
        try database.execute(
          sql: "INSERT INTO account VALUES (1, ?, ?, ?, ?)", arguments: [place, row.0, row.1.0, row.1.1])
      }
      try database.execute(sql: "INSERT INTO reservation (owner, card) VALUES (5, 1)")
      try database.execute(sql: "INSERT INTO reservedUse VALUES (1, 0, 39), (1, 1, 49)")
    }
    try queue.close()
  }

  @Test func `a store of version 1 opens, keeps its cards, keys and counters, and has the new columns`() throws {
    try make()
    for _ in 1...2 {
      let card = try #require(try SQLiteWalletStore(directory: folder.path).cards().first)
      #expect(card.id == "old" && card.state == .suspended && card.isDefault && card.paymentsLeft == 7)
      #expect(card.customDirectory == nil && card.walletData == nil)
    }
    let store = try SQLiteWalletStore(directory: folder.path)
    try store.setState(.active, of: "old")
    try store.setWalletData([7], of: "old")
    #expect(try store.reserve("old").counters == [40, 50])
    #expect(try SQLiteWalletStore(directory: folder.path).cards()[0].walletData == [7])
  }

  @Test func `a store of version 2 keeps the kind of its keys, and its retired card is no longer the default`() throws {
    let image = try TestCard.image()
    let store = try SQLiteWalletStore(directory: folder.path)
    try store.add("old", image, keys: TestCard.singleUseKeys(for: image, counters: 1..<3), threshold: 2)
    let queue = try DatabaseQueue(path: folder.database)
    try queue.write { database in
      try database.execute(
        sql: """
          ALTER TABLE account DROP COLUMN keyKind;
          UPDATE card SET state = 'retired';
          PRAGMA user_version = 2;
          """)
    }
    try queue.close()
    let card = try #require(try SQLiteWalletStore(directory: folder.path).cards().first)
    #expect(card.keyKinds == [.singleUse, .singleUse])
    #expect(card.state == .retired && !card.isDefault)
  }

  @Test func `an upgrade without space changes nothing and reports a full disk`() throws {
    try make()
    // Every page of the file is full: the rows of the upgrade need another page.
    let before = try Data(contentsOf: URL(filePath: folder.database))
    #expect(throws: WalletStoreError.full(folder.database)) {
      _ = try SQLiteWalletStore(directory: folder.path, maximumPages: before.count / 4096)
    }
    #expect(try Data(contentsOf: URL(filePath: folder.database)) == before)
  }
}
