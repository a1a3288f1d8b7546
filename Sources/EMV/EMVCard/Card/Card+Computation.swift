internal import EMVCryptography
internal import EMVData
internal import Octets

extension Card {
  /// A computation with a use.
  struct Computation {
    let application: Int
    let transactionCounter: UInt16
    /// The cryptogram, or the codes as in `TransactionRecord.cryptogram`.
    var cryptogram: UInt64 = 0
    var kind = TransactionRecord.Kind.cryptographicChecksum
    let terms: PaymentTerms
    /// Whether the values of GET PROCESSING OPTIONS alone asked for it.
    let isOptions: Bool
    var isComplete = false
  }

  /// The computation since the card was armed, or nil.
  public var record: TransactionRecord? {
    guard let computed else { return nil }
    let application = image.applications[computed.application]
    return TransactionRecord(
      application: computed.application, transactionCounter: computed.transactionCounter,
      cryptogram: computed.cryptogram, kind: computed.kind, terms: computed.terms, terminalValues: terminalValues,
      terminalList: application.commandList(of: computed) ?? application.pdol, isComplete: computed.isComplete)
  }

  /// Keeps the values of a computation: later exchanges in the same field may bring others, for another application.
  private mutating func keepValues(of computation: Computation) {
    terminalValues.removeAll(keepingCapacity: true)
    // The list of the cryptogram is first, so that a search finds its values before those of the PDOL.
    if image.applications[computation.application].commandList(of: computation) != nil {
      terminalValues.append(contentsOf: listValues.prefix(listValueCount))
    }
    terminalValues.append(contentsOf: optionsValues.prefix(optionsValueCount))
  }

  /// Whether the card holds a use and meets its deadline. The deadline is checked once in an exchange.
  mutating func mayCompute(_ exchange: inout CardState.Exchange, at instant: Instant) -> Bool {
    let deadline: Instant
    switch use {
    case .reserved(let arming): deadline = arming.deadline
    default: return false
    }
    if !exchange.isInTime, instant > deadline {
      refusal = .verificationExpired
      return false
    }
    exchange.isInTime = true
    return true
  }

  /// Spends the use and writes the values of an answer into its copy. Returns the number of octets of the answer.
  mutating func compute(
    _ answer: AnswerImage, _ terms: PaymentTerms, _ application: Int, isOptions: Bool,
    into response: inout MutableRawSpan
  ) -> Int {
    let key = images[application].firstKey
    let keyNumber = answer.keyNumber.map { number(at: $0, isOptions) }
    // The use is spent before the first octet leaves, since a computation cannot be undone.
    let counter = spend(application, key, keyNumber)
    var computation = Computation(
      application: application, transactionCounter: counter, terms: terms, isOptions: isOptions)
    var end = answer.data.count
    for position in answer.firstFill..<answer.firstFill + answer.fillCount {
      switch fills[position] {
      case .transactionCounter(let offset): response.put(counter, at: offset)
      case .cryptogram(let type, let plan, let offset):
        let value = cryptogram(plan, counter, key: key)
        response.put(value, at: offset)
        computation.cryptogram = value
        computation.kind = .applicationCryptogram(type)
      case .dynamicCode(let isTrack1, let offset, let target):
        let vector = initialVectors[application * 2 + (isTrack1 ? 1 : 0)]
        let value = code(vector, number(at: offset, isOptions), counter, key: key + 1)
        response.put(value, at: target)
        computation.cryptogram |= UInt64(value) << (isTrack1 ? 16 : 0)
      case .entropy: break
      case .walletData(let outer, let inner):
        end += appendWalletData(to: answer.data, outer, inner, into: &response)
      }
    }
    computed = computation
    keepValues(of: computation)
    return end
  }

  /// Prepares the codes of every track, once per arming, so that a tap computes one block per track.
  mutating func prepareCodes(_ keys: borrowing TripleDESKeys) {
    for index in images.indices where images[index].track2.count > 0 {
      let key = images[index].firstKey + 1
      initialVectors[index * 2] = CVC3.initialVector(of: arena[images[index].track2], keys, with: key)
      initialVectors[index * 2 + 1] = CVC3.initialVector(of: arena[images[index].track1], keys, with: key)
    }
  }

  /// Marks the use as spent and returns its counter.
  ///
  /// - Parameter keyNumber: The terminal's unpredictable number, where the key of the cryptogram depends on it.
  private mutating func spend(_ application: Int, _ key: Int, _ keyNumber: UInt32?) -> UInt16 {
    switch exchange(&use, with: .none) {
    case .reserved(var arming):
      let counter = arming.counters[application]
      let rule = CryptogramVersion.SessionKeyRule.commonWithUnpredictableNumber
      if let keyNumber, let diversifier = rule.diversifier(atc: counter, unpredictableNumber: keyNumber) {
        // The session key takes the place of the master key, which nothing needs after this computation.
        arming.keys.replaceKey(at: key, withSessionKeyFrom: key, diversifier: diversifier)
      }
      use = .spent(arming)
      return counter
    default: preconditionFailure("only an armed card computes")
    }
  }

  private func number(at offset: Int, _ isOptions: Bool) -> UInt32 {
    var number: UInt32 = 0
    for index in offset..<offset + 4 {
      number = number << 8 | UInt32(isOptions ? optionsValues[index] : listValues[index])
    }
    return number
  }

  private func code(_ initialVector: UInt16, _ number: UInt32, _ counter: UInt16, key: Int) -> UInt16 {
    switch use {
    case .spent(let arming):
      CVC3(initialVector: initialVector, unpredictableNumber: number, atc: counter, arming.keys, with: key).value
    default: preconditionFailure("a card computes with a use that it has spent")
    }
  }

  private func cryptogram(_ plan: PlanImage, _ counter: UInt16, key: Int) -> UInt64 {
    switch use {
    case .spent(let arming): cryptogram(plan, counter, arming.keys, key)
    default: preconditionFailure("a card computes with a use that it has spent")
    }
  }

  private func cryptogram(
    _ plan: PlanImage, _ counter: UInt16, _ keys: borrowing TripleDESKeys, _ key: Int
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
        mac.absorb(optionsValues.span.extracting(offset..<offset + count), keys, with: key)
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

  /// Appends the octets of the wallet and adds their number to the length octets.
  private func appendWalletData(
    to template: ArenaSlice, _ outer: Int, _ inner: Int, into response: inout MutableRawSpan
  ) -> Int {
    switch use {
    case .spent(let arming):
      let added = arming.walletData.count
      response.copy(arming.walletData.span, to: template.count)
      if outer > 0 { response.put(arena[template][outer] + UInt8(added), at: outer) }
      if inner > 0 { response.put(arena[template][inner] + UInt8(added), at: inner) }
      return added
    default: preconditionFailure("a card computes with a use that it has spent")
    }
  }
}
