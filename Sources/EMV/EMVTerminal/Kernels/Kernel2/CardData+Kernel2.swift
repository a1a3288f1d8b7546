internal import EMVData

// Data objects that only kernel 2 reads.
extension CardData {
  // Tag DF4B, or nil.
  func interaction(_ phase: TransactionPhase) throws(StepFailure) -> POSCardholderInteractionInformation? {
    guard let octets = try optional(.cardholderInteraction, 3...3, phase) else { return nil }
    return POSCardholderInteractionInformation(octets: octets)
  }
}
