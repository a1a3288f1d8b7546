import EMVCard
import EMVData

/// The cards inside the program: test cards, so their data may be shown.
enum ShippedCards {
  /// The card of `tap demo`.
  static func demo() throws -> CardImage { try CardImage(json: PackageResources.visa_cvn18_json) }

  /// All of them.
  static func all() throws -> [CardImage] {
    try [
      PackageResources.visa_cvn18_json, PackageResources.visa_cvn10_json, PackageResources.visa_two_accounts_json,
      PackageResources.mastercard_cvn16_json, PackageResources.mastercard_cvn21_json,
      PackageResources.mastercard_magstripe_json, PackageResources.co_badged_json, PackageResources.amex_mobile_json,
    ].map { try CardImage(json: $0) }
  }

  /// Their account numbers.
  static func accountNumbers() throws -> Set<PrimaryAccountNumber> {
    Set(try all().flatMap(\.applications).map(\.accountNumber))
  }
}
