import Ciphers
import EMVCard
import EMVCryptography
import EMVData
import Fixtures
import Foundation
import ISO7816
import Octets

/// The key of every shipped card's issuer.
let testIssuerKey = "0123456789ABCDEFFEDCBA9876543210"

func shippedImage(_ name: String) throws -> CardImage {
  try CardImage(json: [UInt8](Fixtures.data("Cards/\(name).json")))
}

/// The card's own key for a role, as the test issuer derives it.
func masterKey(_ application: CardImage.Application, _ role: PaymentKeyRole) throws -> Secret {
  let derivation = role == .dynamicCVC3 ? .optionA : application.cryptogramVersion.derivation
  return deriveICCMasterKey(
    from: Secret(copying: try [UInt8](hex: testIssuerKey)), derivation, accountNumber: application.accountNumber,
    sequenceNumber: application.sequenceNumber)
}

/// An arming like those of `ContactlessPayment`.
func arming(
  for image: CardImage, method: DeviceVerificationMethod = .passcode,
  deadline: Instant = Instant(nanoseconds: 1_000), walletData: [UInt8] = [],
  counters: [UInt16]? = nil, terms: PaymentTerms? = nil, application: Int? = nil, state: CardState? = nil,
  offline: [OfflineApprovals]? = nil
) throws -> Arming {
  try arming(
    for: image, method: method, deadline: deadline, walletData: walletData, counters: counters, terms: terms,
    application: application, signingKey: SigningCard.key(of: image), state: state, offline: offline)
}

/// An arming with the signing key of a test.
func arming(
  for image: CardImage, method: DeviceVerificationMethod = .passcode,
  deadline: Instant = Instant(nanoseconds: 1_000), walletData: [UInt8] = [],
  counters: [UInt16]? = nil, terms: PaymentTerms? = nil, application: Int? = nil, signingKey: consuming RSASigningKey?,
  state: CardState? = nil, offline: [OfflineApprovals]? = nil
) throws -> Arming {
  let counters = counters ?? image.applications.map(\.firstATC)
  let places = zip(image.applications, counters).flatMap { application, counter in
    application.keyRoles.map { (application, counter, $0) }
  }
  let keys = try TripleDESKeys(count: places.count) { index in
    let (application, counter, role) = places[index]
    let master = try masterKey(application, role)
    let version = application.cryptogramVersion
    switch role {
    case .applicationCryptogram where !version.needsUnpredictableNumber:
      return version.cryptogramKey(masterKey: master, atc: counter)
    case .scriptIntegrity where version.scriptKey == .visa:
      return version.scriptSessionKey(masterKey: master, atc: counter, cryptogram: 0)
    default: return master
    }
  }
  return Arming(
    for: image, keys: keys, method: method, counters: counters, deadline: deadline, walletData: walletData,
    terms: terms, application: application, signingKey: signingKey, state: state, offline: offline)
}

extension Card {
  /// Sends a command and returns the response, both in hexadecimal.
  mutating func answer(_ command: String, at nanoseconds: Int64 = 0) throws -> String {
    answer(try [UInt8](hex: command), at: nanoseconds)
  }

  mutating func answer(_ octets: [UInt8], at nanoseconds: Int64 = 0) -> String {
    self.octets(answering: octets, at: nanoseconds).hex
  }

  mutating func octets(answering octets: [UInt8], at nanoseconds: Int64 = 0) -> [UInt8] {
    var buffer = [UInt8](repeating: 0xEE, count: shortResponseCapacity)
    let count = buffer.withMutableOctets {
      respond(to: octets.span, at: Instant(nanoseconds: nanoseconds), into: &$0)
    }
    return Array(buffer[..<count])
  }

  mutating func answer(_ command: CommandAPDU, at nanoseconds: Int64 = 0) throws -> ResponseAPDU {
    let octets = try [UInt8](hex: answer(command.encoded, at: nanoseconds))
    return try ResponseAPDU(parsing: octets.span)
  }
}

/// A terminal's values for the PDOL of the shipped cards, and the command that brings them.
enum Terminal {
  static let number: [UInt8] = [0x52, 0xBF, 0x45, 0x85]
  static let values: [Tag: [UInt8]] = [
    .terminalTransactionQualifiers: [0x32, 0x80, 0x40, 0x00],
    .amountAuthorised: [0, 0, 0, 0, 0x12, 0x34],
    .amountOther: [0, 0, 0, 0, 0, 0],
    .terminalCountryCode: [0x02, 0x76],
    .terminalVerificationResults: [0, 0, 0, 0, 0],
    .transactionCurrencyCode: [0x09, 0x78],
    .transactionDate: [0x26, 0x11, 0x21],
    .transactionType: [0x00],
    .unpredictableNumber: number,
    .terminalType: [0x22],
    .cvmResults: [0x01, 0x00, 0x02],
    0x9F6A: [0x00, 0x00, 0x08, 0x99],
    0x9F7E: [0x01],
  ]

  /// GENERATE AC with the values of CDOL1.
  static func generate(_ list: DataObjectList, _ p1: UInt8 = 0x80) throws -> CommandAPDU {
    try CommandAPDU(
      cla: 0x80, ins: 0xAE, p1: p1, p2: 0, data: list.values { Self.values[$0] }, expectedLength: 256)
  }

  static func checksum(_ list: DataObjectList, mobileSupport: UInt8 = 1) throws -> CommandAPDU {
    let values = list.values { $0 == 0x9F7E ? [mobileSupport] : Self.values[$0] }
    return try CommandAPDU(cla: 0x80, ins: 0x2A, p1: 0x8E, p2: 0x80, data: values, expectedLength: 256)
  }

  static func options(for list: DataObjectList) throws -> CommandAPDU {
    let values = list.values { Self.values[$0] }
    return try CommandAPDU(
      cla: 0x80, ins: 0xA8, p1: 0, p2: 0, data: [0x83, UInt8(values.count)] + values, expectedLength: 256)
  }
}
