@testable import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVCryptography
import EMVIssuer
import Fixtures
import Foundation
import Octets

/// A card with two applications, provisioned by the test issuer.
enum TestCard {
  static func image() throws -> CardImage {
    try CardImage(json: [UInt8](Fixtures.data("Cards/visa-two-accounts.json")))
  }

  static func keys(for image: CardImage, uses: Int, firstCounter: UInt16? = nil) -> [LimitedUseKey] {
    let issuer = TestIssuer()
    return image.applications.map { application in
      let account = IssuerAccount(
        accountNumber: application.accountNumber, sequenceNumber: application.sequenceNumber,
        cryptogramVersion: application.cryptogramVersion)
      return LimitedUseKey(
        masterKey: issuer.cardMasterKey(of: account), firstCounter: firstCounter ?? application.firstATC, uses: uses)
    }
  }
}

extension TestCard {
  /// Session keys of the test issuer for the applications of an image.
  static func singleUseKeys(
    for image: CardImage, counters: Range<UInt16>, expiry: WallTime? = nil
  ) -> [PaymentKeys] {
    zip(image.applications, keys(for: image, uses: 0)).map { application, key in
      .singleUse(
        counters.map { counter in
          let sessionKey = application.cryptogramVersion.cryptogramKey(masterKey: key.masterKey, atc: counter)
          return SingleUseKey(sessionKey: sessionKey, counter: counter, expiry: expiry)
        })
    }
  }

  /// Master keys of the test issuer for the applications of an image.
  static func limitedUseKeys(
    for image: CardImage, uses: Int, from counter: UInt16, expiry: WallTime? = nil
  ) -> [PaymentKeys] {
    keys(for: image, uses: uses).map { key in
      .limitedUse(
        LimitedUseKey(masterKey: key.masterKey.duplicate(), firstCounter: counter, uses: uses, expiry: expiry))
    }
  }
}

/// A folder that does not exist yet and is removed with its owner.
final class Folder: Sendable {
  let path = FileManager.default.temporaryDirectory.appending(path: "wallet-\(UUID().uuidString)").path

  var database: String { path + "/wallet.sqlite" }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func make() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }

  /// The content of every file, by name.
  func contents() throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    return try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: URL(filePath: path + "/" + $0))) })
  }

  func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }
}

/// The binding of the stores of these tests.
enum TestBinding {
  static let record = ProtectedKeyRecord(identifier: identifier, enrolmentDigest: [4])
  static let binding = WalletBinding(policy: .biometricOnly, key: record)

  private static var identifier: KeyIdentifier {
    guard let identifier = KeyIdentifier([1, 2, 3]) else { preconditionFailure("a name has 1...64 bytes") }
    return identifier
  }

  static func dataKey(_ first: UInt8 = 1) -> Secret { Secret(copying: (0..<32).map { first &+ $0 }) }
}

extension WalletStore {
  /// Binds the store, or unlocks it when it is bound.
  func opened() throws -> Self {
    if try binding() == nil {
      try bind(to: TestBinding.binding, dataKey: TestBinding.dataKey())
    } else {
      try unlock(with: TestBinding.dataKey())
    }
    return self
  }
}
