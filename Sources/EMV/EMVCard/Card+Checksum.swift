internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

extension Card {
  /// COMPUTE CRYPTOGRAPHIC CHECKSUM, the last command of kernel 2's mag-stripe mode: one dynamic code for each track.
  ///
  /// A terminal that knows of mobile devices (tag 9F7E) also hears that the holder was verified. Unarmed the card gives
  /// no code, a counter of zeros and in tag DF4B the wish for a verification, which a terminal shows as "see phone".
  mutating func computeChecksum(
    _ p1: UInt8, _ p2: UInt8, _ data: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan
  ) -> Int {
    guard p1 == 0x8E, p2 == 0x80 else { return Self.answer(.incorrectParameters, into: &response) }
    guard let selected, isInitiated, !hasAnswered, let checksum = images[selected].checksum else {
      return Self.answer(.conditionsNotSatisfied, into: &response)
    }
    guard data.count == checksum.valueCount else { return Self.answer(.wrongLength, into: &response) }
    hasAnswered = true
    guard mayCompute(at: instant) else { return answer(checksum.refusal, into: &response) }
    keepList(data)
    let terms = terms(checksum.terms)
    guard accepts(terms) else { return answer(checksum.refusal, into: &response) }
    let isMobile =
      isMobileSupported || (checksum.mobileSupport.map { listValues[$0] & Self.mobileSupported != 0 } ?? false)
    let template = isMobile ? checksum.mobileResponse : checksum.response
    response.copy(arena[template], to: 0)
    compute(selected, checksum, terms, into: &response)
    return template.count
  }

  private mutating func compute(
    _ index: Int, _ checksum: ChecksumImage, _ terms: PaymentTerms, into response: inout MutableRawSpan
  ) {
    // Spent before the first octet leaves: a computation cannot be taken back.
    isSpent = true
    let counter = reservedCounter(index)
    let number = listNumber(at: checksum.unpredictableNumber)
    let key = images[index].firstKey + 1
    let track2 = code(initialVectors[index * 2], number, counter, key)
    response.put(track2, at: checksum.track2Offset)
    response.put(counter, at: checksum.atcOffset)
    var codes = UInt64(track2)
    if let offset = checksum.track1Offset {
      let track1 = code(initialVectors[index * 2 + 1], number, counter, key)
      response.put(track1, at: offset)
      codes |= UInt64(track1) << 16
    }
    keep(
      Computation(
        application: index, transactionCounter: counter, cryptogram: codes, kind: .cryptographicChecksum,
        terms: terms, isComplete: true))
    phase = .completed
  }

  private func code(_ initialVector: UInt16, _ number: UInt32, _ counter: UInt16, _ key: Int) -> UInt16 {
    switch arming {
    case .some(let arming):
      CVC3(initialVector: initialVector, unpredictableNumber: number, atc: counter, arming.keys, with: key).value
    case .none: preconditionFailure("only an armed card computes")
    }
  }

  /// The IVCVC3 of every track: once per arming, so that a tap computes one block per track.
  mutating func prepareChecksums() {
    for index in images.indices {
      guard let checksum = images[index].checksum else { continue }
      let key = images[index].firstKey + 1
      initialVectors[index * 2] = initialVector(checksum.track2, key)
      initialVectors[index * 2 + 1] = initialVector(checksum.track1, key)
    }
  }

  private func initialVector(_ track: ArenaSlice, _ key: Int) -> UInt16 {
    switch arming {
    case .some(let arming): CVC3.initialVector(of: arena[track], arming.keys, with: key)
    case .none: 0
    }
  }
}
