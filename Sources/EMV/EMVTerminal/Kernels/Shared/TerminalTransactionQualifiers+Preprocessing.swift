internal import EMVData

extension TerminalTransactionQualifiers {
  // Tag 9F66 without the two bits of byte 2 that pre-processing sets.
  var withoutPreprocessing: TerminalTransactionQualifiers { subtracting([.onlineCryptogramRequired, .cvmRequired]) }

  // Tag 9F66 for one payment, as Entry Point's pre-processing sets it for kernels that use it (EMV Contactless Book B
  // v2.11, 3.1.1). Byte 2 bits 8 and 7 are set anew for each payment, whatever the profile says (3.1.1.2).
  //
  // statusCheck: an amount of one unit of the currency requires an online cryptogram (3.1.1.3).
  // Throws StepFailure when the amount is at or above the transaction limit (3.1.1.5), or zero at a reader that is offline
  // only (3.1.1.11).
  func prepared(
    for request: PaymentRequest, _ limits: ReaderLimits.Limits, statusCheck: Bool
  ) throws(StepFailure) -> TerminalTransactionQualifiers {
    let amount = request.amount.minorUnits
    if let limit = limits.transaction, amount >= limit { throw StepFailure(.preprocessing, .transactionLimit) }
    // 3.1.1.11: an amount of zero needs an online cryptogram.
    if amount == 0, contains(.offlineOnly) { throw StepFailure(.preprocessing, .zeroAmountOffline) }
    var qualifiers = withoutPreprocessing
    // 3.1.1.6 with 3.1.1.9: above the floor limit. 3.1.1.3 with 3.1.1.10: a status check. 3.1.1.11: an amount of zero.
    let isAboveFloor = limits.floor.map { amount > $0 } ?? false
    if isAboveFloor || amount == 0 || statusCheck && amount == request.currency.singleUnit {
      qualifiers.insert(.onlineCryptogramRequired)
    }
    // 3.1.1.8 and 3.1.1.12.
    if let limit = limits.cvmRequired, amount >= limit { qualifiers.insert(.cvmRequired) }
    return qualifiers
  }

  // Whether a payment with this tag 9F66 needs a host: the tag asks for an online cryptogram, or it lacks a bit that
  // pre-processing sets for the amount. Autorun has no pre-processing, so that no terminal may approve offline then.
  func needsHost(_ request: PaymentRequest, _ limits: ReaderLimits, statusCheck: Bool) -> Bool {
    guard let prepared = try? prepared(for: request, limits[request], statusCheck: statusCheck) else { return true }
    return contains(.onlineCryptogramRequired) || !isSuperset(of: prepared)
  }
}
