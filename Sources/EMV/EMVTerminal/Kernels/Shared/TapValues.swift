internal import EMVData
internal import ISO7816
internal import Octets

/// The values of a tap: those of the terminal, and where it has none those of the card.
struct TapValues: DataObjectSource {
  private let terminal: TerminalData
  private let card: CardData

  init(_ terminal: TerminalData, _ card: CardData) { (self.terminal, self.card) = (terminal, card) }

  func value(of tag: Tag) -> [UInt8]? { terminal[tag] ?? card.value(tag) }

  func copyValue(of entry: DataObjectList.Entry, to offset: Int, in octets: inout MutableRawSpan) -> Bool {
    if terminal.copyValue(of: entry, to: offset, in: &octets) { return true }
    // A value of the terminal goes before one of the card, also when it has another length.
    guard terminal[entry.tag] == nil, let value = card.value(entry.tag), value.count == entry.count else {
      return false
    }
    octets.copy(value.span, to: offset)
    return true
  }
}
