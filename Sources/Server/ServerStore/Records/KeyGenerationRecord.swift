/// A key of the server: one generation of one purpose.
package struct KeyGenerationRecord: StoredRecord, Hashable {
  package static let table = RecordTable("keyGeneration", identity: ["purpose", "generation"])

  /// What a key is for.
  package enum Purpose: String, StoredValue, Codable, CaseIterable {
    /// The signature of authorizations: the scalar of a key on P-256, 32 bytes.
    case authorization
    /// The cryptograms of cards: a master key, 16 bytes.
    case issuerCryptogram
    /// The codes (CVC3) of cards: a master key, 16 bytes.
    case issuerCode
    /// The scripts for cards: a master key, 16 bytes.
    case issuerScript

    /// The purposes whose keys have their generations together.
    package static let issuer: [Purpose] = [.issuerCryptogram, .issuerCode, .issuerScript]
  }

  /// What the key is for.
  package var purpose: Purpose
  /// The generation, from 1.
  package var generation: Int
  /// The key.
  package var value: [UInt8]
  /// When it was made; 0 when an older server made it.
  package var createdAt: Int64
  /// Until when what was made with it is accepted; nil for the newest generation.
  package var acceptedUntil: Int64?

  /// Creates a record.
  package init(purpose: Purpose, generation: Int, value: [UInt8], createdAt: Int64, acceptedUntil: Int64? = nil) {
    (self.purpose, self.generation, self.value) = (purpose, generation, value)
    (self.createdAt, self.acceptedUntil) = (createdAt, acceptedUntil)
  }
}
