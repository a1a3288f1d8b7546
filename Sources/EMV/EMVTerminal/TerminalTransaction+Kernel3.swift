internal import EMVData
internal import ISO7816

// Kernel 3 (EMV Contactless Book C-3 v2.11, 5.2 to 5.9).
extension TerminalTransaction {
  // The status word decides (5.2.2.2).
  mutating func receiveKernel3Options(_ response: ResponseAPDU, _ initiation: Initiation) -> Step {
    let failure = StepFailure(.processingOptions, .status(response.status))
    switch response.status {
    case .ok: return beginRecords(response, initiation)
    case .referencedDataInvalidated:
      failures.append(failure)
      let reader = initiation.application.candidate.combination.qualifiers
      return end(.otherInterface(reader.contains(.contactChip) ? .insert : .insertOrSwipe, failure))
    case .conditionsNotSatisfied:
      return selectNext(initiation.others, after: failure)
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
      return readNext((options.locator?.records ?? [])[...], card, initiation, nil)
    } catch { return fail(error) }
  }

  mutating func decide(_ card: CardData, _ initiation: Initiation) -> Step {
    switch Kernel3.decide(card, initiation.terminal, initiation.application, request) {
    case .online(let decision): return awaitHost(decision)
    case .declined(let decision, let failure):
      failures.append(failure)
      return end(.declined(decision, failure))
    case .ended(let failure): return fail(failure)
    }
  }

  mutating func awaitHost(_ decision: KernelDecision) -> Step {
    state = .awaitingHost(decision)
    return .outcome(.onlineRequest(decision))
  }
}
