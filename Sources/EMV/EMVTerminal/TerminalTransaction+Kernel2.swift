internal import EMVData
internal import ISO7816

// Kernel 2, from GET PROCESSING OPTIONS to the first record. No public book has its order; see `Kernel2`.
extension TerminalTransaction {
  // Any other status word than 9000 is the outcome Select Next, start C. No public document; open terminals agree.
  mutating func receiveKernel2Options(
    _ response: ResponseAPDU, _ initiation: Initiation, _ settings: Kernel2Configuration
  ) -> Step {
    guard response.status.isOK else {
      return selectNext(initiation.others, after: StepFailure(.processingOptions, .status(response.status)))
    }
    do throws(StepFailure) {
      let options = try ProcessingOptions(parsing: response.data)
      var card = CardData(kernel: 2)
      try card.add(options.elements, .processingOptions)
      let profile = try Kernel2.profile(card)
      guard let locator = options.locator else {
        throw StepFailure(.processingOptions, .missing(.applicationFileLocator))
      }
      let mode = try Kernel2.mode(profile, settings.options)
      if let refusal = limitExceeded(profile, initiation, settings) {
        return selectNext(initiation.others, after: refusal)
      }
      let records = Kernel2.records(locator, mode)
      guard mode == .emv else { return readNext(records[...], card, initiation, mode) }
      return beginEMVMode(records, card, profile, initiation, settings)
    } catch { return fail(error) }
  }

  // The limit is that for devices which verify their holder, or that for all others: tags DF8125 and DF8124. Open
  // terminals look at it when they have read all records; nothing in those can change it.
  private func limitExceeded(
    _ profile: ApplicationInterchangeProfile, _ initiation: Initiation, _ settings: Kernel2Configuration
  ) -> StepFailure? {
    let combination = initiation.application.candidate.combination.combination
    let limits = combination.limits[request.currency.numericCode] ?? Combination.Limits()
    let isOnDevice = Kernel2.verifiesOnDevice(profile, settings.options)
    guard let limit = isOnDevice ? limits.transactionOnDevice : limits.transaction, request.amount.minorUnits > limit
    else { return nil }
    return StepFailure(.processingOptions, .transactionLimit)
  }

  private mutating func beginEMVMode(
    _ records: [(sfi: UInt8, record: UInt8)], _ card: CardData, _ profile: ApplicationInterchangeProfile,
    _ initiation: Initiation, _ settings: Kernel2Configuration
  ) -> Step {
    var initiation = initiation
    var results = TerminalVerificationResults.dataNotAuthenticated
    let measures = settings.options.contains(.relayResistance)
    if measures, profile.isSet(octet: 2, bit: 1) {
      initiation.terminal.verificationResults = results
      return exchangeRelayData(
        RelayExchange(initiation: initiation, card: card, records: records, furtherTries: 0))
    }
    if measures { results.insert(.relayNotPerformed) }
    initiation.terminal.verificationResults = results
    return readNext(records[...], card, initiation, .emv)
  }

  // EXCHANGE RELAY RESISTANCE DATA: the terminal's entropy is its unpredictable number. Kernel 8 has the same command
  // (Book C-8 v1.0, 6.3.5).
  private mutating func exchangeRelayData(_ exchange: RelayExchange) -> Step {
    transmit(
      .exchangeRelayResistanceData(unpredictableNumber), .relayResistance, then: .exchangingRelayData(exchange))
  }

  mutating func receiveRelayData(
    _ response: ResponseAPDU, _ exchange: RelayExchange, _ elapsed: Duration, _ fresh: [UInt8]
  ) -> Step {
    guard response.status.isOK else {
      return fail(StepFailure(.relayResistance, .status(response.status)))
    }
    guard let answer = RelayResistance.Answer(response.data) else {
      return fail(StepFailure(.relayResistance, .malformed("the answer is no template 80 with ten octets")))
    }
    let settings = exchange.initiation.kernel2?.relayResistance ?? RelayResistance()
    var initiation = exchange.initiation
    switch settings.judge(answer, elapsed: elapsed, furtherTriesDone: exchange.furtherTries) {
    case .tooFast: return fail(StepFailure(.relayResistance, .relayTooFast))
    case .again:
      precondition(
        fresh.count == Self.unpredictableNumberCount,
        "another relay resistance exchange needs an unpredictable number of 4 octets, not \(fresh.count)")
      unpredictableNumber = fresh
      initiation.terminal.set(.unpredictableNumber, fresh)
      return exchangeRelayData(
        RelayExchange(
          initiation: initiation, card: exchange.card, records: exchange.records,
          furtherTries: exchange.furtherTries + 1))
    case .measured(let results):
      initiation.terminal.verificationResults.insert(results)
      return readNext(exchange.records[...], exchange.card, initiation, .emv)
    }
  }
}
