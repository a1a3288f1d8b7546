import EMVCard
import Foundation
import ISO7816

/// A command of the comparison.
struct DispatchCommand {
  let name: String
  let octets: [UInt8]
  /// Whether it is measured; otherwise it is sent once, since it changes the state.
  let isMeasured: Bool

  private init(_ name: String, _ octets: [UInt8], isMeasured: Bool = true) {
    self.name = name
    self.octets = octets
    self.isMeasured = isMeasured
  }

  static let directory = DispatchCommand(
    "SELECT PPSE", [0x00, 0xA4, 0x04, 0x00, 0x0E] + Array("2PAY.SYS.DDF01".utf8) + [0x00])
  static let options = DispatchCommand(
    "GET PROCESSING OPTIONS", [0x80, 0xA8, 0x00, 0x00, 0x02, 0x83, 0x00, 0x00], isMeasured: false)

  /// The commands in the order of a tap, none of which computes. The application is selected before GET PROCESSING
  /// OPTIONS, and no SELECT follows it, so that READ RECORD finds a record and the second GET PROCESSING OPTIONS is
  /// refused because of the state.
  static func all(for image: CardImage) -> [DispatchCommand] {
    let aid = image.applications[0].aid.octets
    return [
      directory,
      DispatchCommand("unknown AID", [0x00, 0xA4, 0x04, 0x00, 0x07, 0xA0, 0, 0, 0, 0x99, 0x10, 0x10, 0x00]),
      DispatchCommand("SELECT AID", [0x00, 0xA4, 0x04, 0x00, UInt8(aid.count)] + aid + [0x00]),
      DispatchCommand("unknown instruction", [0x00, 0xFF, 0x00, 0x00, 0x00]),
      options,
      DispatchCommand("READ RECORD", [0x00, 0xB2, 0x01, 0x14, 0x00]),
      DispatchCommand("second GPO", options.octets),
    ]
  }
}

/// The cards that are compared.
enum Subject: String, CaseIterable {
  /// The card in plain C.
  case plain = "C"
  /// The card in Swift, called directly. It holds no use; none of the commands depends on one.
  case card = "card alone"
  /// The card in Swift that a verified session has armed, called as a link calls it.
  case session = "in its session"
}
