internal import EMVData

extension TerminalVerificationResults {
  // A bit as the books count: octet 1 first, bit 8 highest.
  init(octet: Int, bit: Int) {
    self.init(rawValue: 1 << UInt64((5 - octet) * 8 + bit - 1))
  }

  init(octets: [UInt8]) {
    self.init(rawValue: octets.prefix(5).reduce(0) { $0 << 8 | UInt64($1) })
  }

  mutating func insert(_ other: TerminalVerificationResults) { self = Self(rawValue: rawValue | other.rawValue) }

  func shares(_ other: TerminalVerificationResults) -> Bool { rawValue & other.rawValue != 0 }

  // EMV 4.4 Book 3, annex C5.
  static let dataNotAuthenticated = Self(octet: 1, bit: 8)
  static let cardDataMissing = Self(octet: 1, bit: 6)
  static let versionsDiffer = Self(octet: 2, bit: 8)
  static let expired = Self(octet: 2, bit: 7)
  static let notYetEffective = Self(octet: 2, bit: 6)
  static let serviceNotAllowed = Self(octet: 2, bit: 5)
  static let verificationFailed = Self(octet: 3, bit: 8)
  static let verificationNotRecognised = Self(octet: 3, bit: 7)
  static let onlinePINEntered = Self(octet: 3, bit: 3)
  static let aboveFloorLimit = Self(octet: 4, bit: 8)
  // Kernel 2 alone: no public book has them, open terminals agree. That a terminal which knows the protocol sets bit 1
  // for a card which does not is confirmed by a public record of a phone's payment (TVR 0000008001, AIP 1B80).
  static let relayThresholdExceeded = Self(octet: 5, bit: 4)
  static let relayTimeExceeded = Self(octet: 5, bit: 3)
  static let relayPerformed = Self(octet: 5, bit: 2)
  static let relayNotPerformed = Self(octet: 5, bit: 1)
}
