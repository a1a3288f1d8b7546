public import EMVData
internal import EMVDecoding
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

  /// What is hidden in the words about a tap, or in what a card sent: the account numbers and names of its transcript
  /// that must not be shown.
  public func mask(of transcript: Transcript) -> OutputMask {
    let shown = shown(transcript)
    guard shown != transcript else { return OutputMask() }
    let units = RedactionUnit.units(of: transcript).map(\.data)
    let noted = RedactedText.accountNumbers(in: transcript)
    let numbers = units.flatMap { $0.numbers + $0.likelyNumbers + $0.suspectedNumbers } + noted
    return OutputMask(
      numbers: numbers.filter { !shows($0) }, names: units.flatMap(\.names) + RedactedText.names(in: transcript))
  }

  /// A data element's value as it may be shown.
  public func shown(_ node: TLVNode, of number: PrimaryAccountNumber) -> String {
    guard !shows(number) else { return node.value.hex }
    return masked(node) ?? OutputMask(numbers: [number]).masked(node.value)
  }

  /// A data element's value as it may be shown when no account number was seen.
  public func shown(_ node: TLVNode) -> String {
    (showsAll ? nil : masked(node)) ?? DataElement.text(of: node.tag, node.value)
  }

  /// The value with stars when it is cardholder data or looks like an account number; nil for another one.
  private func masked(_ node: TLVNode) -> String? {
    if DataElement.named(node.tag)?.isCardholderData == true { return DataElement.text(of: node.tag, node.value) }
    return AccountNumberSearch.findsNumber(in: node.value, of: node.tag) ? AccountNumberSearch.masked(node.value) : nil
  }

  /// Text of a card as it may be shown: account numbers in it are masked.
  public func shown(_ text: String) -> String {
    let numbers = AccountNumberSearch.writtenNumbers(in: Array(text.utf8)).filter { !shows($0) }
    let masked = numbers.reduce(text) { $0.replacing($1.exposedDigits, with: $1.masked) }
    return OutputMask(numbers: numbers).masked(masked)
  }
}
