internal import EMVData

// How the amount of a payment compares with the limits (EMV Contactless Book B v2.11, 3.1.1.5 to 3.1.1.8).
extension ReaderLimits {
  // Whether the amount is at the transaction limit or above it.
  func isTransactionLimitReached(by request: PaymentRequest) -> Bool {
    self[request].transaction.map { request.amount.minorUnits >= $0 } ?? false
  }

  // Whether the amount is at the CVM required limit or above it.
  func isVerificationRequired(for request: PaymentRequest) -> Bool {
    self[request].cvmRequired.map { request.amount.minorUnits >= $0 } ?? false
  }

  // Whether the amount is above the floor limit.
  func isFloorExceeded(by request: PaymentRequest) -> Bool {
    self[request].floor.map { request.amount.minorUnits > $0 } ?? false
  }
}
