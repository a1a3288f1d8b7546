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

/// Armed as `ContactlessPayment` does it.
func arming(for image: CardImage, deadline: Instant = Instant(nanoseconds: 1_000)) throws -> Arming {
  let issuer = try [UInt8](hex: testIssuerKey)
  let counters = image.applications.map(\.firstATC)
  let keys = TripleDESKeys(count: counters.count) { index in
    let application = image.applications[index]
    let master = deriveICCMasterKey(
      from: Secret(copying: issuer), application.cryptogramVersion.derivation,
      accountNumber: application.accountNumber, sequenceNumber: application.sequenceNumber)
    return application.cryptogramVersion.cryptogramKey(masterKey: master, atc: counters[index])
  }
  return Arming(keys: keys, counters: counters, deadline: deadline)
}

extension Card {
  /// Sends hexadecimal, gets hexadecimal.
  mutating func answer(_ command: String, at nanoseconds: Int64 = 0) throws -> String {
    answer(try [UInt8](hex: command), at: nanoseconds)
  }

  mutating func answer(_ octets: [UInt8], at nanoseconds: Int64 = 0) -> String {
    var buffer = [UInt8](repeating: 0xEE, count: shortResponseCapacity)
    let count = buffer.withMutableOctets {
      respond(to: octets.span, at: Instant(nanoseconds: nanoseconds), into: &$0)
    }
    return Array(buffer[..<count]).hex
  }

  mutating func answer(_ command: CommandAPDU, at nanoseconds: Int64 = 0) throws -> ResponseAPDU {
    let octets = try [UInt8](hex: answer(command.encoded, at: nanoseconds))
    return try ResponseAPDU(parsing: octets.span)
  }
}

/// A terminal's values for the PDOL of the shipped cards, and the command that brings them.
enum Terminal {
  static let values: [Tag: [UInt8]] = [
    .terminalTransactionQualifiers: [0x32, 0x80, 0x40, 0x00],
    .amountAuthorised: [0, 0, 0, 0, 0x12, 0x34],
    .amountOther: [0, 0, 0, 0, 0, 0],
    .terminalCountryCode: [0x02, 0x76],
    .terminalVerificationResults: [0, 0, 0, 0, 0],
    .transactionCurrencyCode: [0x09, 0x78],
    .transactionDate: [0x26, 0x11, 0x21],
    .transactionType: [0x00],
    .unpredictableNumber: [0x52, 0xBF, 0x45, 0x85],
  ]

  static func options(for list: DataObjectList) throws -> CommandAPDU {
    let values = list.values { Self.values[$0] }
    return try CommandAPDU(
      cla: 0x80, ins: 0xA8, p1: 0, p2: 0, data: [0x83, UInt8(values.count)] + values, expectedLength: 256)
  }
}
