/// A key of the server: one generation of one purpose.
struct KeyGenerationRecord: StoredRecord, Hashable {
  static let table = RecordTable("keyGeneration", identity: ["purpose", "generation"])

  /// What a key is for.
  enum Purpose: String, StoredValue, Codable, CaseIterable {
    /// The signature of authorizations: the scalar of a key on P-256, 32 bytes.
    case authorization
    /// The cryptograms of cards: a master key, 16 bytes.
    case issuerCryptogram
    /// The codes (CVC3) of cards: a master key, 16 bytes.
    case issuerCode
    /// The scripts for cards: a master key, 16 bytes.
    case issuerScript

    /// The purposes whose keys have their generations together.
    static let issuer: [Purpose] = [.issuerCryptogram, .issuerCode, .issuerScript]
  }

  /// What the key is for.
  var purpose: Purpose
  /// The generation, from 1.
  var generation: Int
  /// The key.
  var value: [UInt8]
  /// When it was made; 0 when an older server made it.
  var createdAt: Int64
  /// Until when what was made with it is accepted; nil for the newest generation.
  var acceptedUntil: Int64?
}
