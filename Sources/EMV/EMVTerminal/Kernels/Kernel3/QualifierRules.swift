internal import EMVCryptography
internal import ISO7816

/// The points in which kernels 3 and 7 differ. Both have the flow of kernel 3: the card answers GET PROCESSING OPTIONS
/// with its cryptogram, and tags 9F66 and 9F6C state what reader and card require.
struct QualifierRules: Sendable {
  /// The formats of a signature of fDDA.
  let form: SignedDynamicData.Form
  /// Whether fDDA version 00 is taken, whose signature covers tag 9F37 of the terminal only.
  let takesVersion0: Bool
  /// Whether a card without DDA may be authenticated with SDA.
  let takesStaticData: Bool
  /// Whether tag 9F10 gives the type of the cryptogram when tag 9F27 is missing.
  let readsTypeOfIssuerData: Bool
  /// Whether the amount of tag 9F5D is shown to the cardholder after an approval.
  let showsSpendingAmount: Bool
  /// The permitted lengths of data objects of the card that only this kernel checks.
  let lengths: [(tag: Tag, counts: ClosedRange<Int>)]

  /// EMV Contactless Book C-3 v2.11.
  static let kernel3 = QualifierRules(
    form: .fast, takesVersion0: false, takesStaticData: true, readsTypeOfIssuerData: true, showsSpendingAmount: true,
    lengths: [])

  /// Returns what the card states in a signed copy of tag 9F6C, or nil. Without a signature over tag 9F69 there is no such copy.
  func signedRelatedData(_ value: [UInt8]?) -> [UInt8]? { hasVersion0(value) ? nil : value }

  /// Whether a card with this tag 9F69 signs with fDDA version 00.
  func hasVersion0(_ relatedData: [UInt8]?) -> Bool { takesVersion0 && (relatedData?.first ?? 0) == 0 }
}
