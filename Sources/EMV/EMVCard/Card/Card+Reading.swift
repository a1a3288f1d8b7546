internal import EMVData
internal import ISO7816
internal import Octets

extension Card {
  /// READ RECORD (EMV 4.4 Book 3, 6.5.11), accepted after GET PROCESSING OPTIONS.
  mutating func readRecord(
    _ command: CardCommand, _ data: Span<UInt8>, into response: inout MutableRawSpan
  ) -> Int {
    // Short file identifier 31 is reserved (ISO/IEC 7816-4:2013, 7.3.3).
    guard command.p2 & 0x07 == 0x04, command.p2 >> 3 != 31, data.isEmpty, command.p1 > 0 else {
      return Self.answer(.incorrectParameters, into: &response)
    }
    // Identifier 0 is the current file. This card reads by identifier only, 1...30 (EMV 4.4 Book 3, 5.3.2.2).
    guard command.p2 >> 3 != 0 else { return Self.answer(.functionNotSupported, into: &response) }
    guard let selected, selected.isReadable else { return Self.answer(.conditionsNotSatisfied, into: &response) }
    let records = images[selected.index].records
    guard let position = records.firstIndex(where: { $0.parameters == command.parameters }) else {
      return Self.answer(.recordNotFound, into: &response)
    }
    let content = records[position].response
    // The records have the order of the AFL, so that a terminal reads the last one last.
    if content.count - 2 <= command.limit, position == records.count - 1 { complete(selected.index) }
    return answer(content, command.limit, into: &response)
  }

  /// Completes a payment of an application whose last record is read after the cryptogram.
  private mutating func complete(_ application: Int) {
    guard phase == .cryptogramDelivered, let computation = computed, computation.application == application else {
      return
    }
    phase = completedPhase(computation)
    computed?.isComplete = true
  }

  /// GET DATA (EMV 4.4 Book 3, 6.5.7): the counter and the data objects of the profile.
  func getData(_ command: CardCommand, _ data: Span<UInt8>, into response: inout MutableRawSpan) -> Int {
    guard data.isEmpty else { return Self.answer(.wrongLength, into: &response) }
    guard let selected else { return Self.answer(.conditionsNotSatisfied, into: &response) }
    if UInt32(command.parameters) == Tag.applicationTransactionCounter.rawValue {
      return answerCounter(of: selected.index, command, into: &response)
    }
    let objects = images[selected.index].dataObjects
    guard let object = objects.first(where: { $0.parameters == command.parameters }) else {
      return Self.answer(.referencedDataNotFound, into: &response)
    }
    if let value = writtenValue(of: command.parameters, in: selected.index) {
      return answer(value, of: object, command.limit, into: &response)
    }
    return answer(object.response, command.limit, into: &response)
  }

  /// The last counter that was used: the reserved one after its use was spent, the one before it until then. A card
  /// without a reserved use has no counter and returns 6A88.
  private func answerCounter(
    of index: Int, _ command: CardCommand, into response: inout MutableRawSpan
  ) -> Int {
    let counter: UInt16
    switch use.stage {
    case .none: return Self.answer(.referencedDataNotFound, into: &response)
    case .reserved: counter = use.counters[index] &- 1
    case .spent: counter = computed?.application == index ? use.counters[index] : use.counters[index] &- 1
    }
    guard command.limit >= 5 else { return Self.answer(available: 5, into: &response) }
    response.put(command.parameters, at: 0)
    response.put(UInt8(2), at: 2)
    response.put(counter, at: 3)
    response.put(StatusWord.ok.rawValue, at: 5)
    return 7
  }
}
