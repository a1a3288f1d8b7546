public import EMVData
public import ISO7816
internal import Octets

/// Whether cardholder data may be shown: those of test cards, or all on demand.
public struct Disclosure: Sendable {
  /// Whether the data of every card may be shown.
  public let showsAll: Bool
  let testCards: Set<PrimaryAccountNumber>

  /// Creates a rule.
  ///
  /// - Parameters:
  ///   - showsAll: Whether the data of every card may be shown.
  ///   - testCards: The account numbers of test cards.
  public init(showsAll: Bool, testCards: Set<PrimaryAccountNumber>) {
    (self.showsAll, self.testCards) = (showsAll, testCards)
  }

  /// A transcript as it may be shown or written.
  public func shown(_ transcript: Transcript) -> Transcript {
    guard !showsAll else { return transcript }
    let testCards = testCards
    return transcript.redacted(by: Redaction { testCards.contains($0) })
  }

  /// Whether an account number may be shown.
  public func shows(_ number: PrimaryAccountNumber) -> Bool { showsAll || testCards.contains(number) }

  /// A data element's value as it may be shown.
  public func shown(_ node: TLVNode, of number: PrimaryAccountNumber) -> String {
    guard !shows(number) else { return node.value.hex }
    if DataElement.named(node.tag)?.isCardholderData == true { return DataElement.text(of: node.tag, node.value) }
    return AccountNumberSearch.findsNumber(in: node.value, of: node.tag)
      ? AccountNumberSearch.masked(node.value) : node.value.hex
  }

  /// Text of a card as it may be shown: account numbers in it are masked.
  public func shown(_ text: String) -> String {
    AccountNumberSearch.writtenNumbers(in: Array(text.utf8)).filter { !shows($0) }
      .reduce(text) { $0.replacing($1.exposedDigits, with: $1.masked) }
  }
}
