import EMVCard
import EMVData
import Fixtures
import Foundation
import ISO7816
import Octets

/// The whole tap of one application of a shipped card, as a terminal sends it: a purchase of 50.65 euros.
public struct CardTap: CustomStringConvertible, Sendable {
  /// The name of the shipped profile.
  public let card: String
  /// The AID in hexadecimal digits.
  public let aid: String
  /// Whether the tap is one of the mag-stripe mode.
  public let isMagStripe: Bool
  /// SELECT of the directory and of the application, GET PROCESSING OPTIONS, READ RECORD of every record, and the
  /// command that asks for the cryptogram where that is another one.
  public let commands: [String]

  /// The card, the AID and the mode.
  public var description: String { "\(card) \(aid)\(isMagStripe ? " mag-stripe" : "")" }

  /// The taps of all shipped cards, one for each mode of each application.
  public static let shipped: [CardTap] = (try? cards().flatMap(taps(of:))) ?? []

  /// The names of the shipped profiles.
  public static func cards() throws -> [String] {
    try Fixtures.names(in: "Cards", ending: ".json").map { String($0.dropLast(".json".count)) }
  }

  private static let directory = "00A404000E325041592E5359532E444446303100"

  private static func taps(of card: String) throws -> [CardTap] {
    let image = try CardImage(json: [UInt8](Fixtures.data("Cards/\(card).json")))
    let profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/\(card).json")))
    return zip(image.applications, profile.applications).flatMap { application, profile in
      let records = profile.records.map { record in
        [UInt8]([0x00, 0xB2, UInt8(record.record), UInt8(record.sfi << 3 | 0x04), 0x00]).hex
      }
      let aid = "\(application.aid)"
      let start = [
        directory, command("00A40400", try? [UInt8](hex: aid)),
        command("80A80000", template(values(for: application.pdol))),
      ]
      let tap = { (isMagStripe: Bool, last: [String]) in
        CardTap(card: card, aid: aid, isMagStripe: isMagStripe, commands: start + records + last)
      }
      let emv = application.cdol1.map { tap(false, [command("80AE8000", values(for: $0))]) }
      let magStripe = application.udol.map { tap(true, [command("802A8E80", values(for: $0))]) }
      let modes = [emv, magStripe].compactMap(\.self)
      return modes.isEmpty ? [tap(false, [])] : modes
    }
  }

  private static func command(_ header: String, _ data: [UInt8]?) -> String {
    let data = data ?? []
    return header + [UInt8(data.count)].hex + data.hex + "00"
  }

  private static func template(_ values: [UInt8]) -> [UInt8] { [0x83, UInt8(values.count)] + values }

  private static let terminal: [String: String] = [
    "9F66": "32804000", "9F02": "000000005065", "9F1A": "0276", "5F2A": "0978", "9A": "260131", "9F37": "52BF4585",
    "9F35": "22", "9F34": "010002", "9F6A": "00000001", "9F7E": "01", "9F6E": "D8B04000",
  ]

  private static func values(for list: DataObjectList) -> [UInt8] {
    list.entries.flatMap { entry -> [UInt8] in
      let value = terminal[entry.tag.encoded.hex].flatMap { try? [UInt8](hex: $0) }
      return value ?? [UInt8](repeating: 0, count: entry.count)
    }
  }

  /// The cryptograms and codes among responses, each once. A card that refuses gives zeros.
  public static func cryptograms(in responses: [String]) -> Set<String> {
    Set(responses.compactMap(cryptogram)).filter { $0.contains { $0 != "0" } }
  }

  private static func cryptogram(in response: String) -> String? {
    guard let octets = try? [UInt8](hex: response), octets.count > 2,
      let node = try? [TLVNode](parsing: octets.span.extracting(0..<octets.count - 2)).first
    else { return nil }
    for tag in [Tag(rawValue: 0x9F26), Tag(rawValue: 0x9F61)] {
      if let value = node.first(tag)?.value { return value.hex }
    }
    // Format 1: tag 80 with the cryptogram information, the counter, the cryptogram and tag 9F10.
    return node.tag == Tag(rawValue: 0x80) && node.value.count >= 18 ? Array(node.value[3..<11]).hex : nil
  }
}
