public import EMVData
internal import EMVDecoding

extension Transcript {
  /// The account numbers that a redaction has put in the place of others, each once, in the order of their appearance.
  public var substituteNumbers: [PrimaryAccountNumber] {
    var known: Set<PrimaryAccountNumber> = []
    return RedactionUnit.units(of: self).flatMap(\.data.numbers).filter {
      Substitutes.isSubstitute($0) && known.insert($0).inserted
    }
  }
}
