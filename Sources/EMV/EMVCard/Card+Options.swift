internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

extension Card {
  /// GET PROCESSING OPTIONS: the answer of a qVSDC card carries its cryptogram (EMV Contactless Book C-3, 5.4).
  mutating func getProcessingOptions(
    _ p1: UInt8, _ p2: UInt8, _ data: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan
  ) -> Int {
    guard p1 == 0x00, p2 == 0x00 else { return Self.answer(.incorrectParameters, into: &response) }
    guard let selected else { return Self.answer(.conditionsNotSatisfied, into: &response) }
    guard !isInitiated else { return Self.answer(.conditionsNotSatisfied, into: &response) }
    let application = images[selected]
    guard let valuesOffset = Self.valuesOffset(in: data) else { return Self.answer(.incorrectData, into: &response) }
    guard data.count - valuesOffset == application.pdolValueCount else {
      return Self.answer(.wrongLength, into: &response)
    }
    guard mayCompute(at: instant) else { return Self.answer(.commandNotAllowed, into: &response) }
    keep(data.extracting(valuesOffset..<data.count))
    compute(selected, application, into: &response)
    return application.optionsResponse.count
  }

  /// The one check of the deadline: an exchange begun in time may finish.
  private mutating func mayCompute(at instant: Instant) -> Bool {
    guard !isSpent, let deadline = arming?.deadline else { return false }
    if instant <= deadline { return true }
    refusal = .verificationExpired
    return false
  }

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
    _ index: Int, _ application: ApplicationImage, into response: inout MutableRawSpan
  ) {
    // Spent before the first octet leaves: a computation cannot be taken back.
    isSpent = true
    isInitiated = true
    let computation = computation(index, application)
    response.copy(arena[application.optionsResponse], to: 0)
    response.put(computation.transactionCounter, at: application.atcOffset)
    response.put(computation.cryptogram, at: application.cryptogramOffset)
    // The arming rests on a verification of the holder by this device: CTQ byte 2 bit 8.
    let qualifiers = arena[application.optionsResponse][application.qualifiersOffset + 1]
    response.put(
      qualifiers | UInt8(CardTransactionQualifiers.cdcvmPerformed.rawValue), at: application.qualifiersOffset + 1)
    computed = computation
    phase = .cryptogramDelivered
  }

  private func computation(_ index: Int, _ application: ApplicationImage) -> Computation {
    switch arming {
    case .some(let arming):
      let counter = arming.counters[index]
      let cryptogram = cryptogram(application, counter, arming.keys, index)
      return Computation(application: index, transactionCounter: counter, cryptogram: cryptogram)
    case .none: preconditionFailure("only an armed card computes")
    }
  }

  /// Follows the plan that the profile was compiled to.
  private func cryptogram(
    _ application: ApplicationImage, _ counter: UInt16, _ keys: borrowing TripleDESKeys, _ index: Int
  ) -> UInt64 {
    let plan = arena[application.cryptogramPlan]
    var mac = RetailMAC()
    var position = 0
    while position < plan.count {
      let offset = Int(plan[position + 1]) << 8 | Int(plan[position + 2])
      let count = Int(plan[position + 3])
      switch plan[position] {
      case CryptogramStep.constant:
        mac.absorb(arena[ArenaSlice(offset: offset, count: count)], keys, with: index)
      case CryptogramStep.terminalValues:
        mac.absorb(terminalValues.span.extracting(offset..<offset + count), keys, with: index)
      default:
        mac.absorb(UInt8(counter >> 8), keys, with: index)
        mac.absorb(UInt8(counter & 0xFF), keys, with: index)
      }
      position += CryptogramStep.count
    }
    return mac.finish(application.hasMandatoryPadding ? .mandatory : .zeros, keys, with: index)
  }
}
