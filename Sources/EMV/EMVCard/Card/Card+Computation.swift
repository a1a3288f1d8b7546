internal import EMVCryptography
internal import Octets

extension Card {
  /// A computation with a use.
  struct Computation {
    let application: Int
    let transactionCounter: UInt16
    /// The cryptogram, or the codes as in `TransactionRecord.cryptogram`.
    var cryptogram: UInt64 = 0
    var kind = TransactionRecord.Kind.cryptographicChecksum
    /// The position of the command that asked for it.
    let command: Int
    var isComplete: Bool
  }

  /// The computation since the card was armed, or nil.
  public var record: TransactionRecord? {
    guard let computed else { return nil }
    let command = commands[computed.command]
    let values = terminalValues.span
    let listCount = command.form == .processingOptions ? 0 : command.valueCount
    let terms = PaymentTerms(
      command.terms, list: values.part(at: 0, count: listCount),
      options: values.part(at: listCount, count: values.count - listCount))
    return TransactionRecord(
      application: computed.application, transactionCounter: computed.transactionCounter,
      cryptogram: computed.cryptogram, kind: computed.kind, terms: terms, valueRoom: terminalValues,
      terminalList: image.valueLists[computed.command], isComplete: computed.isComplete,
      issuer: hasOutcome ? outcome : nil, offline: offlineOutcome,
      isBlockedByIssuer: state.isBlocked || isBlocked(computed.application))
  }

  /// Keeps the values of a computation: later exchanges in the same field may bring others, for another application.
  private mutating func keepValues(isOptions: Bool) {
    // Taken out of the card while it is written, since the values are in the card too.
    var room = exchange(&terminalValues, with: [])
    // The list of the cryptogram is first, so that a search finds its values before those of the PDOL.
    let listCount = isOptions ? 0 : listValueCount
    room.withMutableOctets { room in
      room.copy(listValues.span.part(at: 0, count: listCount), to: 0)
      if optionsValueCount > 0 {
        room.copy(optionsValues.span.part(at: 0, count: optionsValueCount), to: listCount)
      }
    }
    terminalValues = room
  }

  /// Whether the card holds a use for the application and meets its deadline. The deadline is checked once in an exchange.
  mutating func mayCompute(_ exchange: inout ApplicationExchange, at instant: Instant) -> Bool {
    guard use.stage == .reserved else { return false }
    guard use.application ?? exchange.index == exchange.index else {
      refusal = .differentApplication
      return false
    }
    if !exchange.isInTime, instant > use.deadline {
      refusal = .verificationExpired
      return false
    }
    exchange.isInTime = true
    return true
  }

  /// Spends the use and writes the values of a response into its copy. Returns the number of bytes of the response; nil when
  /// the public key does not confirm a signature.
  mutating func compute(_ answer: ResponseImage, _ run: ProgramRun, into response: inout MutableRawSpan) -> Int? {
    let application = run.exchange.index
    let isOptions = run.program.form == .processingOptions
    let key = images[application].firstKey
    let keyNumber = answer.keyNumber.map { number(at: $0, isOptions) }
    // The use is spent before the first byte leaves, since a computation cannot be undone.
    let counter = spend(application, key, keyNumber)
    var computation = Computation(
      application: application, transactionCounter: counter, command: run.index, isComplete: run.program.completes)
    var end = answer.data.count
    var isSigned = true
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
        let value = use.code(vector, number(at: offset, isOptions), counter, with: key + 1)
        response.put(value, at: target)
        computation.cryptogram |= UInt64(value) << (isTrack1 ? 16 : 0)
      case .entropy: break
      case .cardNumber(let offset): response.put(cardNumber, at: offset)
      case .fastSignature(let signature, let offset):
        isSigned = sign(signature, counter, at: offset, in: &response)
      case .combinedSignature(let signature, let plan, let offset):
        let value = cryptogram(plan, counter, key: key)
        computation.cryptogram = value
        computation.kind = .applicationCryptogram(signature.type)
        isSigned = sign(signature, counter, value, at: offset, end: end, in: &response)
      case .walletData(let outer, let inner):
        end += appendWalletData(to: answer.data, outer, inner, into: &response)
      }
    }
    if !isSigned { computation.isComplete = false }
    computed = computation
    keepValues(isOptions: isOptions)
    guard isSigned else { return nil }
    if run.program.further >= 0 { noteOfflineApproval(computation, run) }
    phase =
      !computation.isComplete ? .cryptogramDelivered : hasIssuerCommands ? completedPhase(computation) : .completed
    return end
  }

  /// Marks the use as spent and returns its counter.
  ///
  /// - Parameter keyNumber: The terminal's unpredictable number, where the key of the cryptogram depends on it.
  private mutating func spend(_ application: Int, _ key: Int, _ keyNumber: UInt32?) -> UInt16 {
    let counter = use.spend(for: application)
    let rule = CryptogramVersion.SessionKeyRule.commonWithUnpredictableNumber
    if let keyNumber, let diversifier = rule.diversifier(atc: counter, unpredictableNumber: keyNumber) {
      use.deriveSessionKey(at: key, diversifier: diversifier)
    }
    return counter
  }

  private func number(at offset: Int, _ isOptions: Bool) -> UInt32 {
    isOptions
      ? optionsValues.span.integer(at: offset, as: UInt32.self) : listValues.span.integer(at: offset, as: UInt32.self)
  }

  /// Computes an application cryptogram with the spent use: lays out the message and signs it.
  mutating func cryptogram(_ plan: PlanImage, _ counter: UInt16, key: Int) -> UInt64 {
    // Taken out of the card while it is written, since the parts of the message are in the card too.
    var message = exchange(&self.message, with: [])
    defer { self.message = message }
    layOut(plan, counter, in: &message)
    return use.sign(message.span.part(at: 0, count: plan.message.count), with: key)
  }

  /// Copies the template of a message and what the tap brings.
  private func layOut(_ plan: PlanImage, _ counter: UInt16, in message: inout [UInt8]) {
    message.withMutableOctets { room in
      room.copy(arena[plan.message], to: 0)
      let steps = arena[plan.steps]
      var position = 0
      while position < steps.count {
        let step = CryptogramStep(rawValue: steps.integer(at: position, as: UInt64.self))
        switch step.kind {
        case .listValues: room.copy(listValues.span.part(at: step.source, count: step.count), to: step.target)
        case .optionsValues: room.copy(optionsValues.span.part(at: step.source, count: step.count), to: step.target)
        case .transactionCounter: room.put(counter, at: step.target)
        case .firstValues: room.copy(terminalValues.span.part(at: step.source, count: step.count), to: step.target)
        }
        position &+= CryptogramStep.size
      }
    }
  }

  /// Appends the bytes of the wallet and adds their number to the length bytes.
  func appendWalletData(
    to template: ArenaSlice, _ outer: Int, _ inner: Int, into response: inout MutableRawSpan
  ) -> Int {
    let added = use.walletData.count
    guard added > 0 else { return 0 }
    response.copy(use.walletData.span, to: template.count)
    if outer > 0 { response.put(arena[template][outer] + UInt8(added), at: outer) }
    if inner > 0 { response.put(arena[template][inner] + UInt8(added), at: inner) }
    return added
  }
}
