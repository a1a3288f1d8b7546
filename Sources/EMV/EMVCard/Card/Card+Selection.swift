internal import EMVData
internal import ISO7816
internal import Octets

extension Card {
  /// SELECT by DF name: the directory, or an application by full or partial name, first or next
  /// (EMV 4.4 Book 1, 11.3 and 12.3.1).
  mutating func select(_ p1: UInt8, _ p2: UInt8, _ name: Span<UInt8>, into response: inout MutableRawSpan) -> Int {
    guard p1 == 0x04, p2 == 0x00 || p2 == 0x02 else { return Self.answer(.incorrectParameters, into: &response) }
    guard (1...16).contains(name.count) else { return Self.answer(.wrongLength, into: &response) }
    let isNext = p2 == 0x02
    if !isNext, name.holdsSame(as: arena[image.directoryName]) {
      deselect()
      return answerDirectory(into: &response)
    }
    let first = isNext ? (state.application ?? -1) + 1 : 0
    guard let index = application(named: name, from: first) else {
      // A failed selection leaves the earlier application selected (ISO/IEC 7816-4:2013, 11.2.2).
      return Self.answer(.notFound, into: &response)
    }
    deselect()
    state = .selected(CardState.Exchange(application: index))
    return answer(images[index].selectResponse, into: &response)
  }

  private func answerDirectory(into response: inout MutableRawSpan) -> Int {
    guard !directory.isEmpty else { return answer(image.directoryResponse, into: &response) }
    response.copy(directory.span, to: 0)
    return directory.count
  }

  /// Ends the exchange with the selected application.
  mutating func deselect() {
    state = .idle
    relay.begin()
  }

  private func application(named name: Span<UInt8>, from first: Int) -> Int? {
    var index = first
    while index < images.count {
      if arena[images[index].aid].starts(with: name) { return index }
      index += 1
    }
    return nil
  }
}
