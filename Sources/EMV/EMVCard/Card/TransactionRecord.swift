public import EMVData
public import ISO7816

/// The progress of a payment, as the card sees it.
public enum CardPhase: UInt8, Comparable, Sendable {
  /// The card has received no command since it was powered.
  case idle
  /// A terminal sends commands.
  case engaged
  /// The card has given the cryptogram; the terminal reads its records.
  case cryptogramDelivered
  /// The terminal has all data of an online payment, and may bring the issuer's response. Most terminals bring none.
  case awaitingIssuer
  /// The terminal has all data, the cryptogram and, where records follow it, the last record of the AFL; and the card has the
  /// issuer's response, if it awaits one.
  case completed

  /// Orders by progress.
  public static func < (left: CardPhase, right: CardPhase) -> Bool { left.rawValue < right.rawValue }
}

/// Why an armed card refused to compute.
public enum CardRefusal: Sendable {
  /// The verification was too old at the first GET PROCESSING OPTIONS of an exchange.
  case verificationExpired
  /// The arming is a further use after a cryptogram, and the terminal asked for another amount, currency or type. The
  /// use is not spent: the card still computes for the terms of the first cryptogram.
  case differentTerms
  /// The arming is a further use after a cryptogram, and the terminal asked for a payment with another application. The use is
  /// not spent: the card still computes with the application of the first cryptogram.
  case differentApplication
  /// The terminal lacks a capability that the selected application needs: with Visa, EMV mode (qVSDC) in tag 9F66. The
  /// use is not spent: the terminal can go on with another application of the card.
  case missingTerminalCapability
}

/// The facts of one computation of a card: copyable, not secret.
public struct TransactionRecord: Equatable, Sendable {
  /// The kind of a computation.
  public enum Kind: Equatable, Sendable {
    /// An application cryptogram, tag 9F26.
    case applicationCryptogram(CryptogramType)
    /// The CVC3 of mag-stripe mode, tags 9F60 and 9F61.
    case cryptographicChecksum
  }

  /// The position of the application in the image.
  public let application: Int
  /// Its transaction counter in this payment, tag 9F36.
  public let transactionCounter: UInt16
  /// The cryptogram, tag 9F26. In mag-stripe mode the code for track 2 (tag 9F61) in the low 16 bits and the code for
  /// track 1 (tag 9F60), if there is one, in the next 16 bits.
  public let cryptogram: UInt64
  /// The kind of the computation.
  public let kind: Kind
  /// The amount, the currency and the type of the payment.
  public let terms: PaymentTerms
  // Begins with the terminal's values. The room of the arming itself: a copy would allocate, and some links
  // pass a response on only after the session has its notice.
  let valueRoom: [UInt8]
  /// The lists of the terminal's values, in their order.
  public let terminalList: DataObjectList
  /// Whether the terminal has all data. With kernel 3 that is when it has read the last record of the AFL after the
  /// cryptogram; with others when it has the cryptogram.
  public let isComplete: Bool
  /// What the card has received of the issuer's response; nil for a card that awaits none, and for one that got none.
  public let issuer: IssuerOutcome?
  /// What the wallet must count for later payments.
  public let offline: OfflineOutcome
  /// Whether its issuer has blocked the application, or the card.
  public let isBlockedByIssuer: Bool

  /// The values that the terminal sent: those for CDOL1 or the UDOL, if such a list was used, then those for the PDOL.
  public var terminalValues: [UInt8] { Array(valueRoom.prefix(terminalList.valueCount)) }

  /// The value that the terminal sent for a tag; nil when the card did not ask for it.
  public func terminalValue(of tag: Tag) -> [UInt8]? {
    terminalList.range(of: tag).map { Array(valueRoom[$0]) }
  }
}
