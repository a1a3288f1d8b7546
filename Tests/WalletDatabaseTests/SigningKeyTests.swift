import EMVCard
import EMVCryptography
import EMVIssuer
import Fixtures
import Foundation
import GRDB
import Octets
import Testing

@testable import ContactlessPayment
@testable import WalletDatabase

@Suite("The signing key of a stored card")
struct SigningKeyTests {
  private let folder = Folder()

  private static func image(_ name: String = "visa-fdda") throws -> CardImage {
    try CardImage(json: [UInt8](Fixtures.data("Cards/\(name).json")))
  }

  private static func key(sequenceNumber: UInt8 = 1) throws -> CardSigningKey {
    let application = try image().applications[0]
    return CardSigningKey(
      TestAuthority.cardKey(accountNumber: application.accountNumber, sequenceNumber: sequenceNumber))
  }

  private static func add(_ key: CardSigningKey?, _ image: CardImage, to store: some WalletStore) throws {
    try store.add(
      "card", image, keys: TestCard.keys(for: image, uses: 5).map(PaymentKeys.limitedUse), threshold: 1, issuer: nil,
      signingKey: key)
  }

  @Test func `a key that is missing, or is not that of the certificate, is refused and nothing is added`() throws {
    let stores: [any WalletStore] = [
      try SQLiteWalletStore(directory: folder.path).opened(), try InMemoryWalletStore().opened(),
    ]
    for store in stores {
      let (image, plain) = (try Self.image(), try Self.image("visa-cvn18"))
      #expect(throws: WalletStoreError.signingKeyMissing) { try Self.add(nil, image, to: store) }
      #expect(throws: WalletStoreError.signingKeyDiffers) {
        try Self.add(Self.key(sequenceNumber: 2), image, to: store)
      }
      #expect(throws: WalletStoreError.signingKeyDiffers) { try Self.add(Self.key(), plain, to: store) }
      #expect(try store.cards().isEmpty)
      try Self.add(Self.key(), image, to: store)
      #expect(try store.reserve("card").signingKey?.publicKey == image.signingKey)
    }
  }

  @Test func `the key is sealed, is the same for each payment, and is wiped with the card`() throws {
    let image = try Self.image()
    let store = try SQLiteWalletStore(directory: folder.path).opened()
    try Self.add(Self.key(), image, to: store)
    let primes = try Self.key().exposedOctets().withExposedOctets { $0.array.dropFirst(2) }
    func file() throws -> Data { try Data(contentsOf: URL(filePath: folder.database)) }
    for half in [primes.prefix(56), primes.suffix(56)] { #expect(try file().range(of: Data(half)) == nil) }
    let again = try SQLiteWalletStore(directory: folder.path).opened()
    for _ in 0..<2 { #expect(try again.reserve("card").signingKey?.publicKey == image.signingKey) }
    let sealed = try #require(
      DatabaseQueue(path: folder.database).read { try Data.fetchOne($0, sql: "SELECT signingKey FROM card") })
    #expect(sealed.count == 2 + 112 + 28)
    #expect(try file().range(of: sealed) != nil)
    try again.delete("card")
    #expect(try file().range(of: sealed) == nil)
  }
}
