import Ciphers
@testable import EMVCard
import EMVCryptography
import EMVData
import ISO7816
import Octets
import Testing

/// Armings and cryptograms with test keys, without a wallet.
enum TestArming {
  static func arming(
    for image: CardImage, counters: [UInt16], deadline: Instant = Instant(nanoseconds: 0)
  ) -> Arming {
    let keys = TripleDESKeys(count: image.keyCount) { _ in Secret(copying: [UInt8](repeating: 1, count: 16)) }
    return Arming(for: image, keys: keys, method: .finger, counters: counters, deadline: deadline)
  }

  /// A cryptogram as one with which the card approves the payment by itself.
  static func approval(_ record: TransactionRecord) -> TransactionRecord {
    TransactionRecord(
      application: record.application, transactionCounter: record.transactionCounter, cryptogram: record.cryptogram,
      kind: .applicationCryptogram(.tc), terms: record.terms, valueRoom: record.valueRoom,
      terminalList: record.terminalList, isComplete: record.isComplete, issuer: nil, offline: record.offline,
      isBlockedByIssuer: false)
  }

  /// The cryptogram with the counter 1 of a Visa card.
  static func record(of image: CardImage) throws -> TransactionRecord {
    var card = Card(image: image)
    card.arm(arming(for: image, counters: [1]))
    for command in [Tap.select, Tap.options] {
      let octets = try [UInt8](hex: command)
      var room = [UInt8](repeating: 0, count: shortResponseCapacity)
      _ = room.withMutableOctets { card.respond(to: octets.span, at: Instant(nanoseconds: 0), into: &$0) }
    }
    let record = card.record
    return try #require(record)
  }
}
