import EMVData
import ISO7816
import Octets
import Transcripts

/// Whether cardholder data may be shown: those of the shipped test cards, or all on demand.
struct Disclosure: Sendable {
  let showsAll: Bool
  private let testCards: Set<PrimaryAccountNumber>

  init(showsAll: Bool) throws {
    self.showsAll = showsAll
    testCards = try ShippedCards.accountNumbers()
  }

  /// A transcript as it may be shown or written.
  func shown(_ transcript: Transcript) -> Transcript {
    guard !showsAll else { return transcript }
    let testCards = testCards
    return transcript.redacted(by: Redaction { testCards.contains($0) })
  }

  /// Whether an account number may be shown.
  func shows(_ number: PrimaryAccountNumber) -> Bool { showsAll || testCards.contains(number) }

  /// A data element's value as it may be shown.
  func shown(_ node: TLVNode, of number: PrimaryAccountNumber) -> String {
    guard DataElement.named(node.tag)?.isCardholderData == true, !shows(number) else { return node.value.hex }
    return DataElement.text(of: node.tag, node.value)
  }
}
