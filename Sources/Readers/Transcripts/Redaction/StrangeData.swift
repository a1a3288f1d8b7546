internal import EMVData
internal import EMVDecoding
internal import ISO7816

/// Data in a recording with test cards that may be those of another card.
struct StrangeData {
  let isTestCard: (PrimaryAccountNumber) -> Bool

  func isIn(_ units: [RedactionUnit], _ data: [CardholderData]) -> Bool {
    let isStrange: (PrimaryAccountNumber) -> Bool = { !isTestCard($0) && !Substitutes.isHarmless($0) }
    return zip(units, data).contains { unit, data in
      data.suspectedNumbers.contains { isStrange($0) && !holdsTestNumber($0) } || unit.hasMalformedNumber
    } || hasOtherHolder(units, data)
  }

  /// Whether digits are the number of a test card and digits beside it.
  private func holdsTestNumber(_ number: PrimaryAccountNumber) -> Bool {
    let digits = Array(number.exposedDigits.utf8)
    return digits.indices.contains { start in
      (AccountNumberSearch.minimumDigits...PrimaryAccountNumber.counts.upperBound).contains { count in
        start + count <= digits.count
          && PrimaryAccountNumber(digits: String(decoding: digits[start..<start + count], as: UTF8.self))
            .map(isTestCard) ?? false
      }
    }
  }

  /// Whether an application without the number of a test card has a name or a certificate that no application with one has.
  private func hasOtherHolder(_ units: [RedactionUnit], _ data: [CardholderData]) -> Bool {
    var (own, others): (Set<[UInt8]>, Set<[UInt8]>) = ([], [])
    var (values, isOfTestCard): (Set<[UInt8]>, Bool) = ([], false)
    func end() {
      if isOfTestCard { own.formUnion(values) } else { others.formUnion(values) }
      (values, isOfTestCard) = ([], false)
    }
    for (unit, data) in zip(units, data) {
      if unit.isSelection { end() }
      values.formUnion(unit.holderValues)
      isOfTestCard = isOfTestCard || data.numbers.contains(where: isTestCard)
    }
    end()
    return !others.isSubset(of: own)
  }
}

extension RedactionUnit {
  /// Whether the unit is the command SELECT.
  fileprivate var isSelection: Bool { places.first?.isResponse == false && instruction == Instruction.select }

  /// Whether a data element for an account number or a track holds digits, but none of a valid form.
  fileprivate var hasMalformedNumber: Bool {
    answeredElements.contains { tag, value in
      AccountNumberSearch.isForNumber(tag) && AccountNumberSearch.accountNumber(tag, value) == nil
        && value.contains { $0 != 0 && $0 != 0xFF }
    }
  }

  /// The values that name a cardholder or let the account number be recovered, other than blanked ones.
  fileprivate var holderValues: [[UInt8]] {
    answeredElements.filter { tag, value in
      ElementRedaction.blankedTags.contains(tag) && value.contains { ![0x00, 0x20, 0x30, 0x58].contains($0) }
    }.map(\.1)
  }

  private var answeredElements: [(Tag, [UInt8])] {
    guard places.first?.isResponse == true, !isOfReader else { return [] }
    return node.leaves.compactMap { leaf in leaf.tag.map { ($0, Array(octets[leaf.content])) } }
  }
}
