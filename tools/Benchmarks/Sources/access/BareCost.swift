import Crypto
import CryptoExtras
import Foundation
import GRDB

/// The signature checks, hashes and durable transactions of an operation, without anything around them.
struct BareCost {
  private let database: DatabasePool
  private let key = P256.Signing.PrivateKey()
  private let message = Data(repeating: 0x5A, count: 256)
  private let signature: P256.Signing.ECDSASignature

  init(in directory: URL) throws {
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    database = try DatabasePool(
      path: directory.appending(path: "bare.sqlite").path, configuration: configuration)
    try database.write { try $0.execute(sql: "CREATE TABLE entry (value BLOB NOT NULL)") }
    signature = try key.signature(for: message)
  }

  /// The median in microseconds.
  ///
  /// - Parameters:
  ///   - operation: Whose signatures and hashes are counted.
  ///   - transactions: How many transactions it commits.
  ///   - rounds: The number of samples, 1 or more.
  func median(of operation: Operation, transactions: Int, rounds: Int) throws -> Double {
    let samples = try (0..<rounds).map { _ in
      try ContinuousClock().measure {
        for _ in 0..<operation.signatures { precondition(key.publicKey.isValidSignature(signature, for: message)) }
        for _ in 0..<operation.hashes { try hash() }
        for _ in 0..<transactions {
          try database.write { try $0.execute(sql: "INSERT INTO entry (value) VALUES (randomblob(300))") }
        }
      }
    }.sorted()
    let median = samples[samples.count / 2].components
    return Double(median.attoseconds) / 1e12 + Double(median.seconds) * 1e6
  }

  /// A hash of a PIN with the parameters of the server: `scrypt-14-8-1`.
  private func hash() throws {
    _ = try KDF.Scrypt.deriveKey(
      from: Data("8203".utf8), salt: message.prefix(16), outputByteCount: 32, rounds: 1 << 14, blockSize: 8,
      parallelism: 1)
  }
}
