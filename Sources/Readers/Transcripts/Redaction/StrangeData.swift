internal import EMVData
internal import EMVDecoding
internal import ISO7816

/// Data in a recording with test cards that may be those of another card, collected from its units in their order.
struct StrangeData {
  let isTestCard: @Sendable (PrimaryAccountNumber) -> Bool
  private var hasStrangeNumber = false
  /// The names and certificates of applications with the number of a test card.
  private var own: Set<[UInt8]> = []
  /// Those of other applications that are not among `own`.
  private var others: Set<[UInt8]> = []
  /// Those of the application that was selected last, and whether it has the number of a test card.
  private var values: Set<[UInt8]> = []
  private var isOfTestCard = false

  init(isTestCard: @escaping @Sendable (PrimaryAccountNumber) -> Bool) { self.isTestCard = isTestCard }

  /// Takes a unit and what it holds.
  mutating func add(_ unit: RedactionUnit, _ data: CardholderData) {
    let isStrange = data.suspectedNumbers.contains {
      !isTestCard($0) && !Substitutes.isHarmless($0) && !holdsTestNumber($0)
    }
    hasStrangeNumber = hasStrangeNumber || isStrange || unit.hasMalformedNumber
    if unit.isSelection { endApplication() }
    values.formUnion(unit.holderValues)
    isOfTestCard = isOfTestCard || data.numbers.contains(where: isTestCard)
  }

  /// Whether a number may be that of another card, or an application without the number of a test card has a name or a
  /// certificate that no application with one has.
  var isPresent: Bool {
    if hasStrangeNumber { return true }
    return isOfTestCard ? !others.isSubset(of: values) : !others.isEmpty || !values.isSubset(of: own)
  }

  private mutating func endApplication() {
    if isOfTestCard {
      own.formUnion(values)
      others.subtract(values)
    } else {
      others.formUnion(values.subtracting(own))
    }
    (values, isOfTestCard) = ([], false)
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
