internal import EMVData
internal import ISO7816
internal import Octets

// Terminal risk management between the last record and the cryptogram (EMV 4.4 Book 3, 10.6).
extension Kernel2Machine {
  // GET DATA of tag 9F36, then of tag 9F13.
  struct CounterReading {
    let card: CardData
    let lower: UInt8
    let upper: UInt8
    // Tag 9F36; nil before it was read, and when the card refused it.
    var counter: UInt16?
    var isLastOnline = false
  }

  // Reads the counters where the profile asks for the velocity check and the card has both limits (10.6.3).
  mutating func manageRisk(_ card: CardData, _ terminal: inout KernelTerminal) throws(StepFailure) -> KernelStep {
    guard kernel.riskManagement?.checksVelocity == true,
      let lower = try card.optional(.lowerConsecutiveOfflineLimit, 1...1, .decision),
      let upper = try card.optional(.upperConsecutiveOfflineLimit, 1...1, .decision)
    else { return try generateCryptogram(card, velocity: [], &terminal) }
    state = .readingCounters(CounterReading(card: card, lower: lower[0], upper: upper[0]))
    return .transmit(.getData(0x9F36), .getData)
  }

  mutating func receiveCounter(
    _ response: ResponseAPDU, _ reading: CounterReading, _ terminal: inout KernelTerminal
  ) throws(StepFailure) -> KernelStep {
    guard reading.isLastOnline else {
      var reading = reading
      reading.counter = Self.counter(.applicationTransactionCounter, in: response)
      reading.isLastOnline = true
      state = .readingCounters(reading)
      return .transmit(.getData(0x9F13), .getData)
    }
    let bits = VelocityCheck.check(
      lower: reading.lower, upper: reading.upper, counter: reading.counter,
      lastOnline: Self.counter(.lastOnlineCounter, in: response))
    return try generateCryptogram(reading.card, velocity: bits, &terminal)
  }

  // A response of any other form counts as a refusal.
  private static func counter(_ tag: Tag, in response: ResponseAPDU) -> UInt16? {
    guard response.status.isOK, let nodes = try? [TLVNode](parsing: response.data.span), nodes.count == 1,
      nodes[0].tag == tag, nodes[0].value.count == 2
    else { return nil }
    return UInt16(bigEndian: nodes[0].value)
  }

  // The checks without a command. The exception list counts without settings too.
  func riskResults(_ number: PrimaryAccountNumber, _ terminal: inout KernelTerminal) -> TerminalVerificationResults {
    let request = terminal.request
    let entry = terminal.logged(number)
    let isExcepted = entry?.isExcepted ?? false
    guard let riskManagement = kernel.riskManagement else { return isExcepted ? .onExceptionList : [] }
    terminal.statusInformation.insert(.riskManagement)
    let payment = RiskManagement.CheckedPayment(
      amount: request.amount.minorUnits, lastAmount: entry?.lastAmount, isExcepted: isExcepted)
    let number = riskManagement.randomSelection == nil ? nil : terminal.drawPercentage()
    return riskManagement.check(payment, kernel.limits[request], number: number)
  }
}

extension Tag {
  // 9F13: last online application transaction counter register.
  static let lastOnlineCounter: Tag = 0x9F13
  // 9F14 and 9F23: consecutive offline limits.
  static let lowerConsecutiveOfflineLimit: Tag = 0x9F14
  static let upperConsecutiveOfflineLimit: Tag = 0x9F23
}

extension TransactionPhase {
  /// GET DATA (EMV 4.4 Book 3, 6.5.7).
  public static let getData = TransactionPhase(rawValue: "GET DATA")
}
