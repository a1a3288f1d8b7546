internal import EMVCard
public import EMVData
public import ISO7816
internal import Octets

/// What was paid, as far as the terminal told the card.
public struct TransactionContext: Equatable, Sendable {
  /// The application that paid.
  public let aid: AID
  /// The card in the wallet.
  public let digitalCardID: String
  /// The six octets of tag 9F02; empty when the card did not ask for them.
  public let rawAmount: [UInt8]
  /// The amount, by the currency's exponent; nil when the terminal's octets are no decimal digits.
  public let amount: Amount?
  /// Tag 5F2A, two octets; empty when the card did not ask for it.
  public let currencyCode: [UInt8]
  /// Tag 9A, or nil when the octets are no date.
  public let date: TransactionDate?
  /// Tag 9C.
  public let type: TransactionType
  /// The transaction counter, tag 9F36.
  public let transactionCounter: UInt16
  /// The cryptogram, tag 9F26, eight octets.
  public let cryptogram: [UInt8]

  init(_ record: TransactionRecord, of image: CardImage, digitalCardID: String) {
    let application = image.applications[record.application]
    let value = { (tag: Tag) in record.terminalValue(of: tag) ?? [] }
    aid = application.aid
    self.digitalCardID = digitalCardID
    let (rawAmount, currencyCode) = (value(.amountAuthorised), value(.transactionCurrencyCode))
    let currency = (try? BinaryCodedDecimal.value(of: currencyCode.span)) ?? 0
    amount = try? Amount(numeric: rawAmount, exponent: currencyExponent(numericCode: Int(currency)))
    self.rawAmount = rawAmount
    self.currencyCode = currencyCode
    date = TransactionDate(numeric: value(.transactionDate))
    type = TransactionType(rawValue: value(.transactionType).first ?? 0)
    transactionCounter = record.transactionCounter
    cryptogram = (0..<8).reversed().map { UInt8(truncatingIfNeeded: record.cryptogram >> UInt64($0 * 8)) }
  }
}
