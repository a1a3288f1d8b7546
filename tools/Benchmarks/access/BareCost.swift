import Crypto
import CryptoExtras
import Foundation
import GRDB

/// The signature checks, hashes and durable transactions of an operation, without anything around them.
struct BareCost {
  /// The median of a check, a hash and a transaction, in microseconds.
  private let check, hash, transaction: Double

  /// Measures.
  ///
  /// - Parameter rounds: The number of samples, 1 or more.
  init(_ database: Database, in directory: URL, rounds: Int) throws {
    check = try Self.check(rounds: rounds)
    let message = Data(repeating: 0x5A, count: 256)
    // A hash of a PIN with the parameters of the server: `scrypt-14-8-1`.
    hash = try Self.median(rounds) {
      _ = try KDF.Scrypt.deriveKey(
        from: Data("8203".utf8), salt: message.prefix(16), outputByteCount: 32, rounds: 1 << 14, blockSize: 8,
        parallelism: 1)
    }
    transaction = try Self.transaction(database, in: directory, rounds: rounds)
  }

  /// The cost of an operation in microseconds.
  func microseconds(of operation: Operation, transactions: Int) -> Double {
    Double(operation.signatures) * check + Double(operation.hashes) * hash + Double(transactions) * transaction
  }

  /// The median of a signature check in microseconds.
  static func check(rounds: Int) throws -> Double {
    let (key, message) = (P256.Signing.PrivateKey(), Data(repeating: 0x5A, count: 256))
    let signature = try key.signature(for: message)
    return try median(rounds) { precondition(key.publicKey.isValidSignature(signature, for: message)) }
  }

  /// The median of a transaction in microseconds.
  static func transaction(_ database: Database, in directory: URL, rounds: Int) throws -> Double {
    switch database {
    case .sqlite:
      let pool = try DatabasePool(path: directory.appending(path: "bare.sqlite").path)
      // GRDB sets NORMAL, which does not flush at a commit, when it opens a write-ahead log.
      try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
      try pool.write { try $0.execute(sql: "CREATE TABLE entry (value BLOB NOT NULL)") }
      return try median(rounds) {
        try pool.write { try $0.execute(sql: "INSERT INTO entry (value) VALUES (randomblob(300))") }
      }
    case .postgreSQL(let url):
      let client = PSQL(url: url)
      try client.run("CREATE TABLE entry (value BYTEA NOT NULL);")
      let row = "INSERT INTO entry (value) VALUES (decode(repeat('5A', 300), 'hex'));\n"
      let (one, many) = (try median(3) { try client.run(row) }, try median(3) { try client.run(repeated(row)) })
      return (many - one) / Double(count - 1)
    }
  }

  /// How many transactions one run of the client makes, so that its start does not count.
  private static let count = 500

  private static func repeated(_ row: String) -> String { String(repeating: row, count: count) }

  private static func median(_ rounds: Int, _ body: () throws -> Void) throws -> Double {
    let samples = try (0..<rounds).map { _ in try ContinuousClock().measure(body) }.sorted()
    let median = samples[samples.count / 2].components
    return Double(median.attoseconds) / 1e12 + Double(median.seconds) * 1e6
  }
}
