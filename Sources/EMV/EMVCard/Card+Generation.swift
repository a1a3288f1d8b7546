internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

extension Card {
  /// GENERATE AC, the only one of a contactless payment (EMV 4.4 Book 3, 6.5.5). This card always asks to go online: it
  /// answers a request to approve or to go online with an ARQC and a decline with an AAC, and both spend its use.
  ///
  /// Unarmed it holds no key, no counter and no verification, and answers an AAC whose cryptogram and counter are zeros.
  mutating func generateCryptogram(
    _ p1: UInt8, _ p2: UInt8, _ data: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan
  ) -> Int {
    // 00 AAC, 40 TC, 80 ARQC; a signature, bit 5, is not made.
    guard p1 == 0x00 || p1 == 0x40 || p1 == 0x80, p2 == 0x00 else {
      return Self.answer(.incorrectParameters, into: &response)
    }
    guard let selected, isInitiated, !hasAnswered, let generation = images[selected].generation else {
      return Self.answer(.conditionsNotSatisfied, into: &response)
    }
    guard data.count == generation.valueCount else { return Self.answer(.wrongLength, into: &response) }
    hasAnswered = true
    guard mayCompute(at: instant) else { return answer(generation.refusal, into: &response) }
    keepList(data)
    let terms = terms(generation.terms)
    guard accepts(terms) else { return answer(generation.refusal, into: &response) }
    let type: CryptogramType = p1 == 0x00 ? .aac : .arqc
    compute(selected, generation, type, terms)
    let count = write(generation, type, into: &response)
    // The last command of the exchange: its answer completes it.
    phase = .completed
    return count
  }

  private mutating func compute(
    _ index: Int, _ generation: GenerationImage, _ type: CryptogramType, _ terms: PaymentTerms
  ) {
    // Spent before the first octet leaves: a computation cannot be taken back.
    isSpent = true
    let counter = reservedCounter(index)
    let key = images[index].firstKey
    let number = listNumber(at: generation.unpredictableNumber)
    if let diversifier = generation.sessionKey?.diversifier(atc: counter, unpredictableNumber: number) {
      // The use is spent: the master key has nothing more to do.
      arming?.keys.replaceKey(at: key, withSessionKeyFrom: key, diversifier: diversifier)
    }
    let plan = type == .aac ? generation.decline.plan : generation.request.plan
    keep(
      Computation(
        application: index, transactionCounter: counter, cryptogram: cryptogram(plan, counter, key: key),
        kind: .applicationCryptogram(type), terms: terms, isComplete: true))
  }

  private func write(
    _ generation: GenerationImage, _ type: CryptogramType, into response: inout MutableRawSpan
  ) -> Int {
    guard let computed else { return Self.answer(.executionError, into: &response) }
    let template = type == .aac ? generation.decline.response : generation.request.response
    response.copy(arena[template], to: 0)
    response.put(computed.transactionCounter, at: generation.atcOffset)
    response.put(computed.cryptogram, at: generation.cryptogramOffset)
    let count = template.count + appendWalletData(to: template.count, generation, into: &response)
    response.put(StatusWord.ok.rawValue, at: count)
    return count + 2
  }

  /// Tag 9F10 comes last and all lengths are below 80, so that two length octets change and nothing moves.
  private func appendWalletData(
    to count: Int, _ generation: GenerationImage, into response: inout MutableRawSpan
  ) -> Int {
    guard generation.takesWalletData else { return 0 }
    switch arming {
    case .some(let arming):
      let added = arming.walletData.count
      response.copy(arming.walletData.span, to: count)
      response.put(UInt8(count + added - 2), at: 1)
      if let offset = generation.issuerDataLengthOffset {
        response.put(UInt8(count - offset - 1 + added), at: offset)
      }
      return added
    case .none: return 0
    }
  }
}
