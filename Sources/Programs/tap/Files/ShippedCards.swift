import EMVCard
import EMVData
import EMVIssuer
import PaymentAcceptance
import PaymentSimulation
import Transcripts

/// The cards inside the program: test cards, so their data may be shown.
enum ShippedCards {
  // Compiled once.
  private static let images = Result {
    try [
      PackageResources.visa_cvn18_json, PackageResources.visa_cvn10_json, PackageResources.visa_two_accounts_json,
      PackageResources.mastercard_cvn16_json, PackageResources.mastercard_cvn21_json,
      PackageResources.mastercard_magstripe_json, PackageResources.co_badged_json, PackageResources.amex_mobile_json,
      PackageResources.amex_magstripe_json, PackageResources.jcb_mobile_json,
      PackageResources.discover_json, PackageResources.unionpay_json,
    ].map { try CardImage(json: $0) }
  }

  /// The card of `tap demo`.
  static func demo() throws -> CardImage { try all()[0] }

  /// All cards.
  static func all() throws -> [CardImage] { try images.get() }

  /// Their account numbers.
  static func accountNumbers() throws -> Set<PrimaryAccountNumber> {
    Set(try all().flatMap(\.applications).map(\.accountNumber))
  }

  /// An issuer that knows the cards. Other cards of its own it knows by their cryptograms.
  ///
  /// - Parameter keys: The issuer's keys; nil for the public test keys.
  static func host(_ keys: IssuerKeys? = nil) -> any AuthorizationHost {
    TestIssuerHost(knowing: (try? all()) ?? [], keys: keys ?? .publicTest)
  }
}

extension Disclosure {
  /// The rule of the program: the data of the cards inside it may be shown.
  init(showsAll: Bool) throws { self.init(showsAll: showsAll, testCards: try ShippedCards.accountNumbers()) }
}
