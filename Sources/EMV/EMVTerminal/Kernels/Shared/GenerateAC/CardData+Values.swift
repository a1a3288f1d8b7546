internal import EMVData
internal import ISO7816

// Data objects of the card with the lengths that a kernel requires.
extension CardData {
  // A mandatory data object. An empty one counts as missing.
  func required(
    _ tag: Tag, _ counts: ClosedRange<Int>, _ phase: TransactionPhase
  ) throws(StepFailure) -> [UInt8] {
    guard let value = try optional(tag, counts, phase) else { throw StepFailure(phase, .missing(tag)) }
    return value
  }

  // An optional data object; nil when it is missing or empty.
  func optional(
    _ tag: Tag, _ counts: ClosedRange<Int>, _ phase: TransactionPhase
  ) throws(StepFailure) -> [UInt8]? {
    guard let value = value(tag), !value.isEmpty else { return nil }
    guard counts.contains(value.count) else { throw StepFailure(phase, .length(tag, count: value.count)) }
    return value
  }

  // Tag 82.
  func interchangeProfile() throws(StepFailure) -> ApplicationInterchangeProfile {
    let octets = try required(.applicationInterchangeProfile, 2...2, .processingOptions)
    return ApplicationInterchangeProfile(octets: octets) ?? []
  }
}
