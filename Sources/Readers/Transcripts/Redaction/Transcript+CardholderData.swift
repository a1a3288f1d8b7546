public import EMVDecoding

extension Transcript {
  /// The account numbers and names in all commands and responses.
  public var cardholderData: CardholderData {
    RedactionUnit.units(of: self).reduce(into: CardholderData()) { $0.add($1.data) }
  }
}
