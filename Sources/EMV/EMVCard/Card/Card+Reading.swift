internal import EMVData
internal import ISO7816
internal import Octets

extension Card {
  /// READ RECORD (EMV 4.4 Book 3, 6.5.11), accepted after GET PROCESSING OPTIONS.
  ///
  /// - Parameter limit: Ne, the most bytes of data in the response.
  @inline(never)
  mutating func readRecord(
    _ header: UInt32, _ data: Span<UInt8>, _ limit: Int, into response: inout MutableRawSpan
  ) -> Int {
    // The index holds valid P1-P2 only, so that they are checked only when it has no such entry.
    guard data.isEmpty, state.isReadable,
      let entry = find(UInt16(truncatingIfNeeded: header), in: state.records)
    else { return refuseRecord(header, data, into: &response) }
    let content = entry.slice
    guard content.count - 2 <= limit else { return Self.answer(available: content.count - 2, into: &response) }
    // The records have the order of the AFL, so that a terminal reads the last entry of the table last.
    if phase == .cryptogramDelivered, entry.isLast { return complete(content, into: &response) }
    return answer(content, into: &response)
  }

  /// Answers a command for a record that the card does not have, or that cannot be read.
  @inline(never)
  private func refuseRecord(_ header: UInt32, _ data: Span<UInt8>, into response: inout MutableRawSpan) -> Int {
    let (record, reference) = (UInt8(truncatingIfNeeded: header >> 8), UInt8(truncatingIfNeeded: header))
    // Short file identifier 31 is reserved (ISO/IEC 7816-4:2013, 7.3.3).
    guard reference & 0x07 == 0x04, reference >> 3 != 31, data.isEmpty, record > 0 else {
      return Self.answer(.incorrectParameters, into: &response)
    }
    // Identifier 0 is the current file. This card reads by identifier only, 1...30 (EMV 4.4 Book 3, 5.3.2.2).
    guard reference >> 3 != 0 else { return Self.answer(.functionNotSupported, into: &response) }
    guard state.isReadable else { return Self.answer(.conditionsNotSatisfied, into: &response) }
    return Self.answer(.recordNotFound, into: &response)
  }

  @inline(never)
  private mutating func complete(_ content: ArenaSlice, into response: inout MutableRawSpan) -> Int {
    if let computed, computed.application == state.application {
      phase = .completed
      self.computed?.isComplete = true
    }
    return answer(content, into: &response)
  }

  /// GET DATA (EMV 4.4 Book 3, 6.5.7): the counter and the data objects of the profile.
  ///
  /// - Parameter limit: Ne, the most bytes of data in the response.
  @inline(never)
  mutating func getData(
    _ header: UInt32, _ data: Span<UInt8>, _ limit: Int, into response: inout MutableRawSpan
  ) -> Int {
    guard data.isEmpty else { return Self.answer(.wrongLength, into: &response) }
    guard let selected = state.application else { return Self.answer(.conditionsNotSatisfied, into: &response) }
    let tag = UInt16(truncatingIfNeeded: header)
    if UInt32(tag) == Tag.applicationTransactionCounter.rawValue {
      return answerCounter(of: selected, limit, into: &response)
    }
    guard let entry = find(tag, in: images[selected].dataObjects) else {
      return Self.answer(.referencedDataNotFound, into: &response)
    }
    return answer(entry.slice, limit, into: &response)
  }

  /// The last counter that was used: the reserved one after its use was spent, the one before it until then. A card
  /// without a reserved use has no counter and returns 6A88.
  private func answerCounter(of index: Int, _ limit: Int, into response: inout MutableRawSpan) -> Int {
    let counter: UInt16
    switch use.stage {
    case .none: return Self.answer(.referencedDataNotFound, into: &response)
    case .reserved: counter = use.counters[index] &- 1
    case .spent: counter = computed?.application == index ? use.counters[index] : use.counters[index] &- 1
    }
    guard limit >= 5 else { return Self.answer(available: 5, into: &response) }
    response.put(UInt16(truncatingIfNeeded: Tag.applicationTransactionCounter.rawValue), at: 0)
    response.put(UInt8(2), at: 2)
    response.put(counter, at: 3)
    response.put(StatusWord.ok.rawValue, at: 5)
    return 7
  }

  @inline(__always)
  private func find(_ key: UInt16, in table: ArenaSlice) -> IndexEntry? {
    let entries = arena[table]
    var position = 0
    while position < entries.count {
      let entry = IndexEntry(rawValue: entries.integer(at: position, as: UInt64.self))
      if entry.key == key { return entry }
      position &+= IndexEntry.count
    }
    return nil
  }
}
