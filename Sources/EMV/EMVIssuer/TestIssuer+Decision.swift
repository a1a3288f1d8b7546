public import ISO7816

extension TestIssuer {
  /// How the issuer decided, and why.
  public enum Decision: Equatable, Sendable {
    /// The cryptogram or code is the card's and its counter is new.
    ///
    /// - Parameter authenticationData: The value of tag 91 for the card; nil where the cryptogram version has no rule
    ///   for it, and in mag-stripe mode.
    case approved(authenticationData: [UInt8]?)
    /// The issuer says no.
    case declined(Reason)
    /// Not this issuer's card: ask another.
    case unknownCard
  }

  /// Why the issuer said no.
  public enum Reason: Equatable, Sendable, CustomStringConvertible {
    /// The data lack an element that the cryptogram covers, or it has not its length.
    case missing(Tag)
    /// Tag 9F10 is of no known layout, or names another cryptogram version than the card's.
    case issuerDataUnknown
    /// The cryptogram is not the one that the card's key makes of the data.
    case wrongCryptogram
    /// The cryptogram is right, but it is the card's own refusal: an AAC.
    case declinedByCard
    /// The track is not the card's, or its dynamic code is not the one that the card's key makes.
    case wrongCode
    /// The application has no mag-stripe mode.
    case noMagStripeMode
    /// The counter was used before, or is lower than one that was.
    case counterNotNew(UInt16, last: UInt16)
    /// The card was stopped for good.
    case retired

    /// A sentence.
    public var description: String {
      switch self {
      case .missing(let tag): "tag \(tag) is missing, so the cryptogram cannot be checked"
      case .issuerDataUnknown: "the issuer application data are not of this card's cryptogram version"
      case .wrongCryptogram: "the cryptogram is wrong"
      case .declinedByCard: "the card declined (AAC)"
      case .wrongCode: "track 2 or its dynamic code (CVC3) is wrong"
      case .noMagStripeMode: "the card has no mag-stripe mode"
      case .counterNotNew(let counter, let last):
        "the transaction counter \(counter) is not above the last one seen, \(last)"
      case .retired: "the card was stopped for good"
      }
    }
  }

  struct Refusal: Error { let reason: Reason }
}
