internal import EMVCryptography
internal import EMVData
internal import Octets

extension Card {
  struct Computation {
    let application: Int
    let transactionCounter: UInt16
    let cryptogram: UInt64
    let kind: TransactionRecord.Kind
    let terms: PaymentTerms
    var isComplete = false
  }

  /// What happened, or nil when nothing was computed since the card was armed.
  public var record: TransactionRecord? {
    guard let computed else { return nil }
    let application = image.applications[computed.application]
    let list =
      switch computed.kind {
      case .applicationCryptogram: images[computed.application].generation == nil ? nil : application.cdol1
      case .cryptographicChecksum: application.udol
      }
    // What the computation rests on comes first, so that it is found first.
    let values = (list == nil ? [] : Array(listValues.prefix(listValueCount)))
    return TransactionRecord(
      application: computed.application, transactionCounter: computed.transactionCounter,
      cryptogram: computed.cryptogram, kind: computed.kind,
      terms: computed.terms,
      terminalValues: values + recordValues.prefix(recordValueCount),
      terminalList: DataObjectList(entries: (list?.entries ?? []) + application.pdol.entries),
      isComplete: computed.isComplete)
  }

  /// The one check of the deadline in an exchange: one that was begun in time may finish.
  mutating func mayCompute(at instant: Instant) -> Bool {
    guard !isSpent, let deadline = arming?.deadline else { return false }
    if isInTime { return true }
    if instant <= deadline {
      isInTime = true
      return true
    }
    refusal = .verificationExpired
    return false
  }

  // The values are set aside: the exchanges that follow in the same field may bring others, for another application.
  mutating func keep(_ computation: Computation) {
    computed = computation
    swap(&terminalValues, &recordValues)
    recordValueCount = terminalValueCount
  }

  /// Keeps the values for CDOL1 or the UDOL.
  mutating func keepList(_ values: Span<UInt8>) {
    listValues.withMutableOctets { $0.copy(values, to: 0) }
    listValueCount = values.count
  }

  /// Four octets of the kept list values.
  func listNumber(at offset: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 << 8 | UInt32(listValues[offset + $1]) }
  }

  /// The counter of an application's reserved use.
  func reservedCounter(_ index: Int) -> UInt16 {
    switch arming {
    case .some(let arming): arming.counters[index]
    case .none: preconditionFailure("only an armed card computes")
    }
  }

  /// The application cryptogram, by the plan that the profile was compiled to.
  func cryptogram(_ plan: CryptogramPlan, _ counter: UInt16, key: Int) -> UInt64 {
    switch arming {
    case .some(let arming): cryptogram(plan, counter, arming.keys, key)
    case .none: preconditionFailure("only an armed card computes")
    }
  }

  private func cryptogram(
    _ plan: CryptogramPlan, _ counter: UInt16, _ keys: borrowing TripleDESKeys, _ key: Int
  ) -> UInt64 {
    let steps = arena[plan.steps]
    var mac = RetailMAC()
    var position = 0
    while position < steps.count {
      let offset = Int(steps[position + 1]) << 8 | Int(steps[position + 2])
      let count = Int(steps[position + 3])
      switch steps[position] {
      case CryptogramStep.constant:
        mac.absorb(arena[ArenaSlice(offset: offset, count: count)], keys, with: key)
      case CryptogramStep.optionsValues:
        mac.absorb(terminalValues.span.extracting(offset..<offset + count), keys, with: key)
      case CryptogramStep.listValues:
        mac.absorb(listValues.span.extracting(offset..<offset + count), keys, with: key)
      default:
        mac.absorb(UInt8(counter >> 8), keys, with: key)
        mac.absorb(UInt8(counter & 0xFF), keys, with: key)
      }
      position += CryptogramStep.count
    }
    return mac.finish(plan.padding, keys, with: key)
  }
}
