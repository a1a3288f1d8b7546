public import EMVCard
public import EMVData
public import ISO7816
internal import Octets

/// The facts of a payment, as far as the card received them.
public struct TransactionContext: Equatable, Sendable {
  /// The application that paid.
  public let aid: AID
  /// The card in the wallet.
  public let digitalCardID: String
  /// The six bytes of tag 9F02; empty when the card did not ask for them, as in mag-stripe mode.
  public let rawAmount: [UInt8]
  /// The amount, with the currency's exponent; nil when the card did not ask for it, or the terminal's bytes are not
  /// decimal digits.
  public let amount: Amount?
  /// Tag 5F2A, two bytes; empty when the card did not ask for it.
  public let currencyCode: [UInt8]
  /// Tag 9A, or nil when the bytes are not a date.
  public let date: TransactionDate?
  /// Tag 9C, or nil when the card did not ask for it.
  public let type: TransactionType?
  /// The transaction counter, tag 9F36.
  public let transactionCounter: UInt16
  /// What the terminal received: a cryptogram, or the codes of mag-stripe mode.
  public let kind: TransactionRecord.Kind
  /// The cryptogram, tag 9F26, eight bytes; in mag-stripe mode the two bytes of tag 9F61, preceded by those of tag 9F60
  /// when the card has a track 1.
  public let cryptogram: [UInt8]
  /// What the card has received of the issuer's response; nil for a card that awaits none, and for one that got none.
  public let issuer: IssuerOutcome?
  /// What earlier cryptograms of the session have spent, in payments that were interrupted, in their order.
  public let interruptedPayments: [TransactionContext]

  init(
    _ record: TransactionRecord, of image: CardImage, digitalCardID: String,
    interruptedPayments: [TransactionContext] = []
  ) {
    let application = image.applications[record.application]
    let value = { (tag: Tag) in record.terminalValue(of: tag) ?? [] }
    aid = application.aid
    self.digitalCardID = digitalCardID
    self.interruptedPayments = interruptedPayments
    let (rawAmount, currencyCode) = (value(.amountAuthorised), value(.transactionCurrencyCode))
    let currency = (try? BinaryCodedDecimal.value(of: currencyCode.span)) ?? 0
    let exponent = currencyExponent(numericCode: Int(currency))
    amount = rawAmount.isEmpty ? nil : try? Amount(numeric: rawAmount, exponent: exponent)
    self.rawAmount = rawAmount
    self.currencyCode = currencyCode
    date = TransactionDate(numeric: value(.transactionDate))
    type = value(.transactionType).first.map(TransactionType.init)
    transactionCounter = record.transactionCounter
    kind = record.kind
    issuer = record.issuer
    let hasTrack1 = application.track1 != nil
    let count = record.kind == .cryptographicChecksum ? (hasTrack1 ? 4 : 2) : 8
    cryptogram = (0..<count).reversed().map { UInt8(truncatingIfNeeded: record.cryptogram >> UInt64($0 * 8)) }
  }
}

extension TransactionContext {
  /// Whether a record is of the same application of the card.
  func isSameApplication(as record: TransactionRecord, _ card: DigitalCard) -> Bool {
    digitalCardID == card.id && aid == card.image.applications[record.application].aid
  }
}
