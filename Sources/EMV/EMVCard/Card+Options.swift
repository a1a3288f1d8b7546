internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

extension Card {
  /// GET PROCESSING OPTIONS. The answer of a qVSDC card carries its cryptogram (EMV Contactless Book C-3, 5.4); other
  /// kernels ask for theirs later (EMV 4.4 Book 3, 6.5.8).
  mutating func getProcessingOptions(
    _ p1: UInt8, _ p2: UInt8, _ data: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan
  ) -> Int {
    guard p1 == 0x00, p2 == 0x00 else { return Self.answer(.incorrectParameters, into: &response) }
    guard let selected else { return Self.answer(.conditionsNotSatisfied, into: &response) }
    guard !isInitiated else { return Self.answer(.conditionsNotSatisfied, into: &response) }
    let options = images[selected].options
    guard let valuesOffset = Self.valuesOffset(in: data) else { return Self.answer(.incorrectData, into: &response) }
    guard data.count - valuesOffset == options.valueCount else {
      return Self.answer(.wrongLength, into: &response)
    }
    // Asked in any case: the deadline counts from here.
    var isReady = mayCompute(at: instant)
    keep(data.extracting(valuesOffset..<data.count))
    let terms = terms(options.terms)
    if options.cryptogram != nil, isReady { isReady = accepts(terms) }
    if !isReady, let refusal = options.refusal { return Self.answer(refusal, into: &response) }
    isMobileSupported = options.mobileSupport.map { terminalValues[$0] & Self.mobileSupported != 0 } ?? false
    isInitiated = true
    response.copy(arena[options.response], to: 0)
    if isReady, let cryptogram = options.cryptogram { compute(selected, cryptogram, terms, into: &response) }
    return options.response.count
  }

  /// Bit 1 of the terminal's mobile support indicator, tag 9F7E.
  static let mobileSupported: UInt8 = 0x01

  /// Where the values begin in `83 | length | values`, or nil when the template is not whole.
  private static func valuesOffset(in data: Span<UInt8>) -> Int? {
    guard data.count >= 2, data[0] == 0x83 else { return nil }
    if data[1] < 0x80 { return Int(data[1]) == data.count - 2 ? 2 : nil }
    guard data[1] == 0x81, data.count >= 3, Int(data[2]) == data.count - 3 else { return nil }
    return 3
  }

  private mutating func keep(_ values: Span<UInt8>) {
    terminalValues.withMutableOctets { $0.copy(values, to: 0) }
    terminalValueCount = values.count
  }

  private mutating func compute(
    _ index: Int, _ cryptogram: OptionsCryptogramImage, _ terms: PaymentTerms,
    into response: inout MutableRawSpan
  ) {
    // Spent before the first octet leaves: a computation cannot be taken back.
    isSpent = true
    hasAnswered = true
    let counter = reservedCounter(index)
    let value = self.cryptogram(cryptogram.plan, counter, key: images[index].firstKey)
    response.put(counter, at: cryptogram.atcOffset)
    response.put(value, at: cryptogram.cryptogramOffset)
    // The arming rests on a verification of the holder by this device: CTQ byte 2 bit 8.
    let qualifiers = arena[images[index].options.response][cryptogram.qualifiersOffset + 1]
    response.put(
      qualifiers | UInt8(CardTransactionQualifiers.cdcvmPerformed.rawValue), at: cryptogram.qualifiersOffset + 1)
    keep(
      Computation(
        application: index, transactionCounter: counter, cryptogram: value, kind: .applicationCryptogram(.arqc),
        terms: terms))
    phase = .cryptogramDelivered
  }
}
