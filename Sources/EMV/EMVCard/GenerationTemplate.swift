internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

/// The answers to GENERATE AC (EMV 4.4 Book 3, 6.5.5), of which tag 9F10 is the last part.
struct GenerationTemplate {
  let list: DataObjectList
  private let layout: IssuerDataLayout
  private let format: Int
  private let asksForVerification: Bool

  /// - Parameter asksForVerification: Whether an unarmed card tells a wish in tag DF4B, as kernel 2 knows it.
  init(_ list: DataObjectList, _ layout: IssuerDataLayout, format: Int, asksForVerification: Bool) {
    self.list = list
    self.layout = layout
    self.format = format
    self.asksForVerification = asksForVerification
  }

  func place(in compiler: inout ImageCompiler, _ profile: ArenaSlice, pdol: DataObjectList) -> GenerationImage {
    let version = layout.version
    let takesWalletData = version.paymentSystem == .mastercard
    let dataCount = layout.octets(.unverified).count
    let offsets = format == 1 ? (atc: 3, cryptogram: 5) : (atc: 2 + 4 + 3, cryptogram: 2 + 4 + 5 + 3)
    return GenerationImage(
      valueCount: list.valueCount, terms: PaymentTermsLayout(list, pdol: pdol),
      sessionKey: version.needsUnpredictableNumber ? version.sessionKey : nil,
      unpredictableNumber: list.range(of: .unpredictableNumber)?.lowerBound ?? 0,
      request: answer(.arqc, profile, &compiler), decline: answer(.aac, profile, &compiler),
      atcOffset: offsets.atc, cryptogramOffset: offsets.cryptogram,
      issuerDataLengthOffset: format == 1 ? nil : template(.aac, .unverified).count - dataCount - 1,
      takesWalletData: takesWalletData, refusal: compiler.place(refusal))
  }

  private func answer(
    _ type: CryptogramType, _ profile: ArenaSlice, _ compiler: inout ImageCompiler
  ) -> CryptogramAnswer {
    let response = compiler.place(template(type, .verified(type)))
    let issuerData = layout.octets(.verified(type))
    return CryptogramAnswer(
      response: response,
      plan: layout.version.plan(
        in: &compiler, profile, list, CryptogramStep.listValues,
        covered: layout.version.coveredIssuerData(of: issuerData) ?? []))
  }

  /// The answer without its status word, counter and cryptogram zero.
  private func template(_ type: CryptogramType, _ results: IssuerDataLayout.Results) -> [UInt8] {
    let issuerData = layout.octets(results)
    let information = type.cryptogramInformationData
    let cryptogram = [UInt8](repeating: 0, count: 8)
    if format == 1 { return TLVNode(.responseFormat1, [information, 0, 0] + cryptogram + issuerData).encoded }
    let nodes = [
      TLVNode(.cryptogramInformationData, [information]), TLVNode(.applicationTransactionCounter, [0, 0]),
      TLVNode(.applicationCryptogram, cryptogram), TLVNode(.issuerApplicationData, issuerData),
    ]
    return TLVNode(.responseFormat2, nodes).encoded
  }

  /// An AAC of zeros: a card without a key cannot make one. Public recordings of phones show the wish for a
  /// verification behind it.
  private var refusal: [UInt8] {
    guard format == 2, asksForVerification, let answer = template(.aac, .unverified).asNode else {
      return ResponseAPDU(data: template(.aac, .unverified)).encoded
    }
    let wish = TLVNode(KernelTwoTag.cardholderInteraction, ChecksumTemplate.verificationRequired)
    return ResponseAPDU(data: TLVNode(.responseFormat2, answer.children + [wish]).encoded).encoded
  }
}

extension [UInt8] {
  /// The first data object, as a value.
  fileprivate var asNode: TLVNode? { (try? [TLVNode](parsing: span))?.first }
}

extension CryptogramVersion {
  /// Lays out what a cryptogram covers.
  ///
  /// - Parameters:
  ///   - profile: Where tag 82 lies.
  ///   - list: What the terminal is asked for, and `source` where its values are kept.
  ///   - covered: What of tag 9F10 is covered.
  func plan(
    in compiler: inout ImageCompiler, _ profile: ArenaSlice, _ list: DataObjectList, _ source: UInt8,
    covered: [UInt8]
  ) -> CryptogramPlan {
    let issuer = compiler.place(covered)
    let steps = elements.flatMap { tag -> [UInt8] in
      switch tag {
      case .applicationInterchangeProfile: Self.step(CryptogramStep.constant, profile.offset, profile.count)
      case .applicationTransactionCounter: Self.step(CryptogramStep.transactionCounter, 0, 2)
      default: list.range(of: tag).map { Self.step(source, $0.lowerBound, $0.count) } ?? []
      }
    }
    return CryptogramPlan(
      steps: compiler.place(steps + Self.step(CryptogramStep.constant, issuer.offset, issuer.count)),
      padding: padding)
  }

  private static func step(_ kind: UInt8, _ offset: Int, _ count: Int) -> [UInt8] {
    [kind, UInt8(offset >> 8), UInt8(offset & 0xFF), UInt8(count)]
  }
}
