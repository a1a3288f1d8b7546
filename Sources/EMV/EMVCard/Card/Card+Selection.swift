internal import ISO7816
internal import Octets

extension Card {
  /// SELECT by DF name: the directory, or an application by full or partial name, first or next
  /// (EMV 4.4 Book 1, 11.3 and 12.3.1). The selection changes only when the response is permitted.
  mutating func select(
    _ command: CardCommand, _ name: Span<UInt8>, into response: inout MutableRawSpan
  ) -> Int {
    guard command.parameters == 0x0400 || command.parameters == 0x0402 else {
      return Self.answer(.incorrectParameters, into: &response)
    }
    guard (1...16).contains(name.count) else { return Self.answer(.wrongLength, into: &response) }
    let isNext = command.parameters == 0x0402
    if Self.isDirectory(name), !isNext { return answerDirectory(command.limit, into: &response) }
    let first = isNext ? selected.map { $0.index + 1 } ?? 0 : 0
    guard let index = application(named: name, from: first) else {
      // A failed selection leaves the earlier application selected (ISO/IEC 7816-4:2013, 11.2.2).
      return Self.answer(.notFound, into: &response)
    }
    let information = images[index].selectResponse
    if information.count - 2 <= command.limit {
      selected = ApplicationExchange(index: index)
      relay.begin()
    }
    let count = answer(information, command.limit, into: &response)
    // The selection of a blocked application brings its data and this warning (EMV 4.4 Book 1, 11.3.5).
    if isBlocked, count > 2, isBlocked(index) {
      response.put(StatusWord.selectedFileDeactivated.rawValue, at: count - 2)
    }
    return count
  }

  /// Whether a name is "2PAY.SYS.DDF01" (EMV Contactless Book B, 3.3.2.2): two loads that overlap by two bytes.
  private static func isDirectory(_ name: Span<UInt8>) -> Bool {
    name.count == 14 && name.integer(at: 0, as: UInt64.self) == 0x3250_4159_2E53_5953
      && name.integer(at: 6, as: UInt64.self) == 0x5953_2E44_4446_3031
  }

  private mutating func answerDirectory(_ limit: Int, into response: inout MutableRawSpan) -> Int {
    let data = directory.count - 2
    guard data <= limit else { return Self.answer(available: data, into: &response) }
    deselect()
    response.copy(directory.span, to: 0)
    return directory.count
  }

  /// Ends the exchange with the selected application.
  mutating func deselect() {
    selected = nil
    relay.begin()
  }

  /// Whether the card has an application whose name begins with these bytes.
  public func hasApplication(named name: Span<UInt8>) -> Bool { application(named: name, from: 0) != nil }

  private func application(named name: Span<UInt8>, from first: Int) -> Int? {
    for index in first..<images.count where arena[images[index].aid].starts(with: name) { return index }
    return nil
  }
}
