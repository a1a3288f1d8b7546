public import EMVData
public import ISO7816

/// How far a payment has come, as the card sees it.
public enum CardPhase: UInt8, Comparable, Sendable {
  /// No command has come since the card was powered.
  case idle
  /// A terminal talks to the card.
  case engaged
  /// The cryptogram was handed out; its records are being read.
  case cryptogramDelivered
  /// The cryptogram was handed out and nothing that the terminal needs is left: the last record of the AFL behind it was
  /// read, or it came last.
  case completed

  /// Orders by progress.
  public static func < (left: CardPhase, right: CardPhase) -> Bool { left.rawValue < right.rawValue }
}

/// Why an armed card refused to compute.
public enum CardRefusal: Sendable {
  /// The verification was too old at the first GET PROCESSING OPTIONS.
  case verificationExpired
  /// The arming is a further use after a cryptogram, and the terminal asked for another amount, currency or type. The
  /// use is not spent: the card still computes for the terms of the first cryptogram.
  case differentTerms
}

/// What happened on a card: copyable facts, nothing secret.
public struct TransactionRecord: Equatable, Sendable {
  /// What was computed.
  public enum Kind: Equatable, Sendable {
    /// An application cryptogram, tag 9F26, of a type.
    case applicationCryptogram(CryptogramType)
    /// The dynamic codes of mag-stripe mode, tags 9F60 and 9F61.
    case cryptographicChecksum
  }

  /// Which application was used, by its place in the image.
  public let application: Int
  /// Its transaction counter in this payment, tag 9F36.
  public let transactionCounter: UInt16
  /// The cryptogram handed out, tag 9F26; in mag-stripe mode the code for track 2 (tag 9F61) in the low 16 bits and
  /// that for track 1 (tag 9F60), if there is one, in the 16 bits above.
  public let cryptogram: UInt64
  /// What the cryptogram is.
  public let kind: Kind
  /// The amount, currency and type that the cryptogram was asked for.
  public let terms: PaymentTerms
  /// The values that the terminal sent: those for CDOL1 or the UDOL, if such a list was used, then those for the PDOL.
  public let terminalValues: [UInt8]
  /// What the values are: the same lists, in the same order.
  public let terminalList: DataObjectList
  /// Whether the terminal has all that it needs: with kernel 3 once the last record of the AFL was read after the
  /// cryptogram, with others as soon as the cryptogram was handed out.
  public let isComplete: Bool

  /// What the terminal sent for a tag, or nil when the card did not ask for it.
  public func terminalValue(of tag: Tag) -> [UInt8]? {
    terminalList.range(of: tag).map { Array(terminalValues[$0]) }
  }
}
