internal import Ciphers
internal import ContactlessPayment
internal import DeviceAuthentication
internal import Foundation
internal import Octets

/// Seals the secret columns of a store under the data key of its binding, and opens them.
///
/// Each sealed value is bound to its row and column, so a value that is moved to another row does not open.
final class Vault: Sendable {
  private let keyIdentifier: KeyIdentifier
  private let key: SealingKey
  private let random: any RandomSource

  /// Takes the data key of a binding.
  ///
  /// - Throws: `WalletStoreError.notAuthentic` for a key that does not have 32 bytes.
  init(_ dataKey: borrowing Secret, of binding: WalletBinding, random: any RandomSource) throws(WalletStoreError) {
    guard dataKey.count == SealingKey.keyCount else { throw .notAuthentic }
    keyIdentifier = binding.key.identifier
    key = SealingKey(dataKey)
    self.random = random
  }

  /// Whether the vault holds the data key of a binding: another process may have set the wallet up again.
  func belongs(to binding: WalletBinding?) -> Bool { binding?.key.identifier == keyIdentifier }

  func seal(_ content: Span<UInt8>, as place: SealedColumn) -> Data {
    Data(key.seal(content, as: place.identity, random: random))
  }

  func open(_ sealed: Data, as place: SealedColumn) throws(WalletStoreError) -> [UInt8] {
    guard let content = key.open([UInt8](sealed), as: place.identity) else { throw .notAuthentic }
    return content
  }
}

/// The place of a sealed value in the database.
enum SealedColumn {
  /// A column of a card's row.
  enum CardColumn: String {
    case profile, customDirectory, walletData, signingKey, cardState
  }

  /// A column of a payment key's row.
  enum KeyColumn: String {
    case key, cvc3Key, scriptKey
  }

  case card(Int64, CardColumn)
  case paymentKey(card: Int64, application: Int, KeyBatch, KeyColumn)
  /// The seal over all rows, with their content.
  case store([UInt8])

  /// The bytes under which a value is sealed: different for different places.
  var identity: [UInt8] {
    switch self {
    case .card(let card, let column): Array("card \(card) \(column.rawValue)".utf8)
    case .paymentKey(let card, let application, let batch, let column):
      // The number of uses left changes with every payment; the seal of the store covers it.
      Array(
        """
        paymentKey \(card) \(application) \(batch.kind.rawValue) \(batch.firstCounter) \
        \(batch.expiry.map { "\($0.seconds)" } ?? "never") \(column.rawValue)
        """.utf8)
    case .store(let rows): Array("store ".utf8) + rows
    }
  }
}
