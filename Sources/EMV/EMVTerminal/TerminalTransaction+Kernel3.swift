internal import EMVData
internal import ISO7816

// Kernel 3 (EMV Contactless Book C-3 v2.11, 5.2 to 5.9).
extension TerminalTransaction {
  // The status word decides (5.2.2.2).
  mutating func receiveProcessingOptions(_ response: ResponseAPDU, _ initiation: Initiation) -> Step {
    let failure = StepFailure(.processingOptions, .status(response.status))
    switch response.status {
    case .ok: return beginRecords(response, initiation)
    case .referencedDataInvalidated:
      failures.append(failure)
      let reader = initiation.application.candidate.combination.qualifiers
      return end(.otherInterface(reader.contains(.contactChip) ? .insert : .insertOrSwipe, failure))
    case .conditionsNotSatisfied:
      failures.append(failure)
      return selectNext(initiation.others)
    case .commandNotAllowed:
      failures.append(failure)
      return end(.seePhone(failure))
    default: return fail(failure)
    }
  }

  private mutating func beginRecords(_ response: ResponseAPDU, _ initiation: Initiation) -> Step {
    do throws(StepFailure) {
      let options = try ProcessingOptions(parsing: response.data)
      var card = CardData()
      try card.add(options.elements, .processingOptions)
      return readNext((options.locator?.records ?? [])[...], card, initiation.application, initiation.terminal)
    } catch { return fail(error) }
  }

  // Strictly in the order of the application file locator (EMV 4.4 Book 3, 10.2).
  private mutating func readNext(
    _ records: ArraySlice<(sfi: UInt8, record: UInt8)>, _ card: CardData, _ application: SelectedApplication,
    _ terminal: TerminalData
  ) -> Step {
    guard let next = records.first else { return decide(card, application, terminal) }
    return transmit(
      .readRecord(next.record, sfi: next.sfi), .readRecords,
      then: .readingRecords(
        Reading(application: application, terminal: terminal, sfi: next.sfi, card: card, others: records.dropFirst())))
  }

  mutating func receiveRecord(_ response: ResponseAPDU, _ reading: Reading) -> Step {
    var card = reading.card
    do throws(StepFailure) {
      try card.addRecord(response, sfi: reading.sfi)
      return readNext(reading.others, card, reading.application, reading.terminal)
    } catch { return fail(error) }
  }

  private mutating func decide(
    _ card: CardData, _ application: SelectedApplication, _ terminal: TerminalData
  ) -> Step {
    switch Kernel3.decide(card, terminal, application, request) {
    case .online(let decision):
      state = .awaitingHost(decision)
      return .outcome(.onlineRequest(decision))
    case .declined(let decision, let failure):
      failures.append(failure)
      return end(.declined(decision, failure))
    case .ended(let failure): return fail(failure)
    }
  }
}
