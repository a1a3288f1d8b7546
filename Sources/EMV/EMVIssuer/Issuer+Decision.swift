public import ISO7816

extension Issuer {
  /// A decision of the issuer, with its reason.
  public enum Decision: Equatable, Sendable {
    /// The cryptogram or code is the card's and its counter is new.
    ///
    /// - Parameter authenticationData: The value of tag 91 for the card; nil when the cryptogram version has no rule
    ///   for it, and in mag-stripe mode.
    case approved(authenticationData: [UInt8]?)
    /// The issuer declines.
    case declined(Reason)
    /// The card belongs to another issuer.
    case unknownCard
  }

  /// The reasons to decline.
  public enum Reason: Equatable, Sendable, CustomStringConvertible {
    /// An element that the cryptogram covers is missing or has a wrong length.
    case missing(Tag)
    /// Tag 9F10 has an unknown layout or another cryptogram version than the card.
    case issuerDataUnknown
    /// The cryptogram differs from the one that the card's key gives for the data.
    case wrongCryptogram
    /// The cryptogram is valid, but it is an AAC: the card declined.
    case declinedByCard
    /// The track is not the card's, or its CVC3 differs from the one that the card's key gives.
    case wrongCode
    /// The application has no mag-stripe mode.
    case noMagStripeMode
    /// The counter is not above the highest counter used before.
    case counterNotNew(UInt16, last: UInt16)
    /// The counter was never granted to the card: it is not below the first free one.
    case counterNotGranted(UInt16, free: Int)
    /// The card has expired before the date of the payment.
    case expired
    /// The card was retired.
    case retired

    /// A sentence.
    public var description: String {
      switch self {
      case .missing(let tag): "tag \(tag) is missing, so the cryptogram cannot be checked"
      case .issuerDataUnknown: "the issuer application data are not of this card's cryptogram version"
      case .wrongCryptogram: "the cryptogram is wrong"
      case .declinedByCard: "the card declined (AAC)"
      case .wrongCode: "track 2 or its CVC3 is wrong"
      case .noMagStripeMode: "the card has no mag-stripe mode"
      case .counterNotNew(let counter, let last):
        "the transaction counter \(counter) is not above the last one seen, \(last)"
      case .counterNotGranted(let counter, let free):
        "the transaction counter \(counter) was never granted: the first free one is \(free)"
      case .expired: "the card has expired"
      case .retired: "the card was stopped for good"
      }
    }
  }

  struct Refusal: Error { let reason: Reason }
}
