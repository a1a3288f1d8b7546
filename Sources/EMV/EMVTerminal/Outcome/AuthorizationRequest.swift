public import EMVData
public import ISO7816

/// The data that a host gets: the data elements of card and terminal, in a fixed order, and the facts that every host
/// needs. A kernel with further data offers a typed view of the tags in its own folder, such as `MagStripeData`. Only
/// the host and the test issuer see the values; the description is masked.
public struct AuthorizationRequest: Hashable, Sendable {
  /// The data elements in order, each tag once.
  public let elements: [TLVNode]
  /// The account number of the card.
  public let accountNumber: PrimaryAccountNumber
  /// The type of the cryptogram, tag 9F27; nil where the kernel made none.
  public let cryptogramType: CryptogramType?
  /// The number that the terminal drew for this payment, in the form that the cryptogram covers: four bytes of tag
  /// 9F37, or of a tag of the kernel. Empty where the kernel uses none.
  public let unpredictableNumber: [UInt8]
  /// How the cardholder is verified, as in tag 9F34.
  public let verification: CardholderVerificationMethod
  /// The amount and its currency, as in tags 9F02 and 5F2A.
  public let payment: PaymentRequest

  /// Creates a request.
  ///
  /// - Parameter unpredictableNumber: The number that the cryptogram covers; tag 9F37 of the elements when nil.
  public init(
    elements: [TLVNode], accountNumber: PrimaryAccountNumber, cryptogramType: CryptogramType?,
    verification: CardholderVerificationMethod, payment: PaymentRequest, unpredictableNumber: [UInt8]? = nil
  ) {
    self.elements = elements
    self.accountNumber = accountNumber
    self.cryptogramType = cryptogramType
    self.verification = verification
    self.payment = payment
    self.unpredictableNumber =
      unpredictableNumber ?? elements.first { $0.tag == .unpredictableNumber }?.value ?? []
  }

  /// The value of a tag, or nil.
  public func value(_ tag: Tag) -> [UInt8]? {
    elements.first { $0.tag == tag }?.value
  }

  /// Tag 5F34, 0...99; nil when the card gave none or one that is not decimal.
  public var panSequenceNumber: UInt8? {
    guard let octet = value(.panSequenceNumber)?.first, octet >> 4 <= 9, octet & 0x0F <= 9 else { return nil }
    return (octet >> 4) * 10 + (octet & 0x0F)
  }

  /// Tag 9F26, eight bytes; empty where the kernel made no cryptogram.
  public var cryptogram: [UInt8] { value(.applicationCryptogram) ?? [] }

  /// Tag 9F10, up to 32 bytes; empty where the kernel made no cryptogram.
  public var issuerApplicationData: [UInt8] { value(.issuerApplicationData) ?? [] }

  /// Tag 9F36: the application transaction counter; 0 when the card gave none.
  public var transactionCounter: UInt16 {
    (value(.applicationTransactionCounter) ?? []).reduce(0) { $0 << 8 | UInt16($1) }
  }
}

extension AuthorizationRequest {
  /// The kernel whose names the elements have, from the application's RID; nil for another provider's application.
  public var kernel: ContactlessKernel? {
    value(.applicationIdentifier).flatMap { AID($0) }.flatMap { ContactlessKernel(application: $0) }
  }
}

extension AuthorizationRequest: ContentConcealing {
  /// One line for each element: tag, name, value. Account number, track and name are masked.
  public var description: String {
    elements.map { element in
      let name = DataElement.named(element.tag, kernel: kernel)?.name ?? "unknown"
      return "\(element.tag) \(name): \(DataElement.text(of: element.tag, element.value))"
    }.joined(separator: "\n")
  }
}
