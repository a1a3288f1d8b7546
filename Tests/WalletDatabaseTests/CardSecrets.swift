@testable import ContactlessPayment
import EMVCard
import EMVData
import Foundation
import Octets

/// The secrets of a card as bytes that must not be in a file: keys, account numbers as text and in binary coded decimal,
/// and the profile.
struct CardSecrets {
  let keys: [[UInt8]]
  /// The secrets as a store of an older version kept them.
  let stored: [String: [UInt8]]
  /// The same account numbers in binary coded decimal, as in tag 5A.
  private let coded: [String: [UInt8]]

  init(of image: CardImage) throws {
    keys = TestCard.keys(for: image, uses: 0).map { key in
      key.masterKey.withExposedOctets { octets in octets.indices.map { octets[$0] } }
    }
    var (stored, coded) = (["the profile": Array((image.json ?? []).prefix(40))], [String: [UInt8]]())
    for (place, application) in image.applications.enumerated() {
      stored["key \(place)"] = keys[place]
      stored["account number \(place)"] = Array(application.accountNumber.exposedDigits.utf8)
      coded["tag 5A of application \(place)"] = application.accountNumber.compressedNumeric
    }
    (self.stored, self.coded) = (stored, coded)
  }

  /// The names of the secrets that a file of a folder contains.
  func found(in folder: Folder) throws -> [String] {
    let files = try folder.contents().values
    let all = stored.merging(coded) { first, _ in first }
    return all.filter { secret in files.contains { $0.range(of: Data(secret.value)) != nil } }.map(\.key)
  }
}
