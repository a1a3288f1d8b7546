internal import EMVData

// Bits of tag 95 that kernels set and `EMVData` does not name (EMV 4.4 Book 3, annex C5).
extension TerminalVerificationResults {
  // A bit as the books count: byte 1 first, bit 8 highest.
  init(byte: Int, bit: Int) {
    self.init(rawValue: 1 << UInt64((Self.layout.octetCount - byte) * 8 + bit - 1))
  }

  static let onExceptionList = Self(byte: 1, bit: 5)
  static let newCard = Self(byte: 2, bit: 4)
  static let lowerOfflineLimit = Self(byte: 4, bit: 7)
  static let upperOfflineLimit = Self(byte: 4, bit: 6)
  static let selectedRandomly = Self(byte: 4, bit: 5)
  static let versionsDiffer = Self(byte: 2, bit: 8)
  static let notYetEffective = Self(byte: 2, bit: 6)
  static let serviceNotAllowed = Self(byte: 2, bit: 5)
  static let verificationNotRecognised = Self(byte: 3, bit: 7)
  static let issuerAuthenticationFailed = Self(byte: 5, bit: 7)
  static let scriptFailedBeforeCryptogram = Self(byte: 5, bit: 6)
  static let scriptFailedAfterCryptogram = Self(byte: 5, bit: 5)
}
