internal import EMVData

// Bits of tag 95 that kernels set and `EMVData` does not name (EMV 4.4 Book 3, annex C5).
extension TerminalVerificationResults {
  static let onExceptionList = Self(rawValue: mask(1, 5))
  static let newCard = Self(rawValue: mask(2, 4))
  static let lowerOfflineLimit = Self(rawValue: mask(4, 7))
  static let upperOfflineLimit = Self(rawValue: mask(4, 6))
  static let selectedRandomly = Self(rawValue: mask(4, 5))
  static let versionsDiffer = Self(rawValue: mask(2, 8))
  static let notYetEffective = Self(rawValue: mask(2, 6))
  static let serviceNotAllowed = Self(rawValue: mask(2, 5))
  static let verificationNotRecognised = Self(rawValue: mask(3, 7))
  static let issuerAuthenticationFailed = Self(rawValue: mask(5, 7))
  static let scriptFailedBeforeCryptogram = Self(rawValue: mask(5, 6))
  static let scriptFailedAfterCryptogram = Self(rawValue: mask(5, 5))
}
