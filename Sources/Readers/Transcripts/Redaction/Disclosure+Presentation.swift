internal import EMVData
internal import EMVDecoding
internal import ISO7816
internal import Octets

extension Disclosure {
  /// Returns why a recording must not be presented at a terminal; nil for one that is redacted, that is of test cards, or
  /// that holds no account number at all, such as a list written by hand.
  ///
  /// Always applies to the account numbers of other cards, also where `showsAll` is set.
  public func refusal(toPresent transcript: Transcript) -> String? {
    let guarded = Disclosure(showsAll: false, testCards: testCards)
    let units = RedactionUnit.units(of: transcript)
    // A number in a comment does not make a recording one of a test card.
    let answered = units.filter { $0.places.first?.isResponse == true }.flatMap(\.data.numbers)
    if answered.contains(where: guarded.shows), guarded.shown(transcript) == transcript { return nil }
    // What redaction leaves as it is may be presented.
    let redacted = transcript.redacted().exchanges.map(\.response)
    let changed = Set(transcript.exchanges.indices.filter { redacted[$0] != transcript.exchanges[$0].response })
    let suspects = units.filter { $0.places.contains { changed.contains($0.exchange) } }
    let numbers =
      suspects.map(\.data).flatMap { $0.numbers + $0.likelyNumbers } + RedactedText.accountNumbers(in: transcript)
    if let number = numbers.first(where: { !guarded.shows($0) && !Substitutes.isHarmless($0) }) {
      return "it holds the account number \(number.masked), which is not one of a shipped test card"
    }
    if let element = suspects.lazy.compactMap(Self.holderData).first {
      return "it holds the data element \(element), which names the cardholder or lets an account number be recovered"
    }
    if let digits = suspects.lazy.compactMap(Self.digits).first {
      return "a response of unknown structure holds \(digits.counted("digit")) that may be an account number"
    }
    return nil
  }

  /// The length of a run of digits in a response, outside of known data objects, that may be an account number; nil without
  /// one.
  private static func digits(in unit: RedactionUnit) -> Int? {
    guard unit.places.first?.isResponse == true, !unit.isOfReader else { return nil }
    let none = Substitutes()
    return unit.node.leaves.lazy.filter { leaf in
      leaf.kind == .fault || leaf.kind == .octets || leaf.tag.map { DataElement.named($0) == nil } ?? false
    }.compactMap { leaf -> Int? in
      let value = Array(unit.octets[leaf.content])
      guard ElementRedaction.unknown(value, none) != value else { return nil }
      return AccountNumberSearch.decimalRuns(in: value).map(\.count).max()
    }.first
  }

  /// The tag of a name, a bank account, discretionary data of a track, or a certificate or signature over the account number that
  /// is not blanked; nil without one.
  private static func holderData(in unit: RedactionUnit) -> Tag? {
    let none = Substitutes()
    return unit.node.leaves.first { leaf in
      guard let tag = leaf.tag, ElementRedaction.blankedTags.contains(tag) else { return false }
      let value = Array(unit.octets[leaf.content])
      let redaction = ElementRedaction(tag: tag, application: unit.application, isAnswer: true, substitutes: none)
      return redaction.redacted(value) != value && value.contains { $0 != 0 }
    }?.tag
  }
}
