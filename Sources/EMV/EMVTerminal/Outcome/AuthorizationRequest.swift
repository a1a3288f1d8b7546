public import EMVData
public import ISO7816

/// What a host gets: the data elements of card and terminal, in a fixed order. Only the host and the test issuer see
/// its values; its description is masked.
public struct AuthorizationRequest: Hashable, Sendable {
  /// The data elements in order, each tag once.
  public let elements: [TLVNode]
  /// Tag 57, 5A or 9F6B.
  public let accountNumber: PrimaryAccountNumber
  /// Tag 9F27: what the cryptogram says; nil in mag-stripe mode, which has none.
  public let cryptogramType: CryptogramType?
  /// Kernel 2's mag-stripe mode: the tracks with the digits of the transaction, and what they were made of. Nil in EMV
  /// mode.
  public let magStripe: MagStripeData?
  /// How the cardholder is verified, as in tag 9F34.
  public let verification: VerificationMethod
  /// The amount and its currency, as in tags 9F02 and 5F2A.
  public let payment: PaymentRequest

  init(
    elements: [TLVNode], accountNumber: PrimaryAccountNumber, cryptogramType: CryptogramType?,
    verification: VerificationMethod, payment: PaymentRequest, magStripe: MagStripeData? = nil
  ) {
    self.elements = elements
    self.accountNumber = accountNumber
    self.cryptogramType = cryptogramType
    self.verification = verification
    self.payment = payment
    self.magStripe = magStripe
  }

  /// The value of a tag, or nil.
  public func value(_ tag: Tag) -> [UInt8]? {
    elements.first { $0.tag == tag }?.value
  }

  /// Tag 5F34, 0...99, or nil when the card gave none or one that is not decimal.
  public var panSequenceNumber: UInt8? {
    guard let octet = value(.panSequenceNumber)?.first, octet >> 4 <= 9, octet & 0x0F <= 9 else { return nil }
    return (octet >> 4) * 10 + (octet & 0x0F)
  }

  /// Tag 9F26, eight octets; none in mag-stripe mode.
  public var cryptogram: [UInt8] { value(.applicationCryptogram) ?? [] }

  /// Tag 9F10, up to 32 octets; none in mag-stripe mode.
  public var issuerApplicationData: [UInt8] { value(.issuerApplicationData) ?? [] }

  /// Tag 9F36: the application transaction counter.
  public var transactionCounter: UInt16 {
    (value(.applicationTransactionCounter) ?? []).reduce(0) { $0 << 8 | UInt16($1) }
  }

  /// Tag 9F37, in mag-stripe mode tag 9F6A: four octets.
  public var unpredictableNumber: [UInt8] {
    value(magStripe == nil ? .unpredictableNumber : .unpredictableNumberNumeric) ?? []
  }
}

extension AuthorizationRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// One line for each element: tag, name, value. Account number, track and name are masked.
  public var description: String {
    elements.map { element in
      let name = DataElement.named(element.tag)?.name ?? "unknown"
      return "\(element.tag) \(name): \(DataElement.text(of: element.tag, element.value))"
    }.joined(separator: "\n")
  }

  /// The description: an error or a log must not show more.
  public var debugDescription: String { description }

  /// No children: a dump must not show more than the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
