import EMVCard
import EMVData
import EMVIssuer
import EMVTerminal
import PaymentAcceptance
import PaymentSimulation
import Transcripts
import POSIX

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

/// The terminals inside the program.
enum ShippedTerminal {
  /// The terminal of scenarios, of recordings without one, and of new profiles: an attended shop.
  static let profile = PackageResources.attended_eur_json
  /// The terminal that takes every shipped card: it has all kernels, and the keys and applications of the test authority.
  static let everyCard = PackageResources.all_kernels_json

  /// Compiles `everyCard`.
  static func forEveryCard() throws -> TerminalConfiguration { try TerminalConfiguration(json: everyCard) }

  /// The currencies of the terminal that the words of a command line name, or of this one; none for a file without one.
  static func currencies(after words: [String]) -> [String] {
    let file = words.firstIndex(of: "--terminal").flatMap { words.dropFirst($0 + 1).first }
    let named = try? file.map { try TerminalConfiguration(json: NamedFile.text($0)) } ?? forEveryCard()
    return named?.currencies.map(\.alphabeticCode) ?? []
  }
}
