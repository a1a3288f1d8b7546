internal import EMVData
internal import ISO7816

// READ RECORD, the same for all kernels.
extension TerminalTransaction {
  // Strictly in the order of the application file locator (EMV 4.4 Book 3, 10.2).
  mutating func readNext(
    _ records: ArraySlice<(sfi: UInt8, record: UInt8)>, _ card: CardData, _ initiation: Initiation,
    _ mode: Kernel2.Mode?
  ) -> Step {
    guard let next = records.first else { return finishReading(card, initiation, mode) }
    return transmit(
      .readRecord(next.record, sfi: next.sfi), .readRecords,
      then: .readingRecords(
        Reading(initiation: initiation, mode: mode, sfi: next.sfi, card: card, others: records.dropFirst())))
  }

  mutating func receiveRecord(_ response: ResponseAPDU, _ reading: Reading) -> Step {
    var card = reading.card
    do throws(StepFailure) {
      try card.addRecord(response, sfi: reading.sfi)
      return readNext(reading.others, card, reading.initiation, reading.mode)
    } catch { return fail(error) }
  }

  private mutating func finishReading(
    _ card: CardData, _ initiation: Initiation, _ mode: Kernel2.Mode?
  ) -> Step {
    switch mode {
    case nil: decide(card, initiation)
    case .emv: generateCryptogram(card, initiation)
    case .magStripe: computeChecksum(card, initiation)
    }
  }
}
