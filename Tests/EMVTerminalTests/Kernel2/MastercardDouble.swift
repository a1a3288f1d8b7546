import EMVData
import EMVTerminal
import ISO7816
import Octets

/// A Mastercard card or phone made of data objects. It returns the objects that the test gives it, valid or not.
struct MastercardDouble {
  var pdol: [UInt8]?
  /// AIP 1A80: verification supported, risk management, verification on the device; EMV mode.
  var profile = octets("1A80")
  var locator = octets("0801010010010100")
  var isFormat1 = false
  var optionsStatus: StatusWord?
  var records: [[UInt8]: [TLVNode]] = [[1, 1]: MastercardDouble.magStripe(), [2, 1]: MastercardDouble.chip()]
  var relay = octets("800A 01020304 0000 0064 0018")
  var cryptogram = ResponseAPDU(data: TLVNode(0x77, MastercardDouble.generated()).encoded)
  var checksum = ResponseAPDU(data: TLVNode(0x77, MastercardDouble.computed()).encoded)
  /// Responses in place of the built ones, by the number of the command: 0 is the directory.
  var replacements: [Int: ResponseAPDU] = [:]
  private(set) var commands: [CommandAPDU] = []

  static let name = octets("A0000000041010")
  static let track2 = octets("5413330089600044D14122010123409172")

  /// The record of EMV mode, with CDOL1 as real cards have it.
  static func chip(_ changes: [Tag: [UInt8]?] = [:]) -> [TLVNode] {
    changed(
      [
        (0x57, track2), (0x5A, octets("5413330089600044")), (0x5F24, octets("291231")), (0x5F25, octets("040101")),
        (0x5F28, octets("0056")), (0x5F34, [0x01]),
        (0x8C, octets("9F02069F03069F1A0295055F2A029A039C019F37049F35019F45029F4C089F3403")),
        (0x8E, octets("000000000000000042035E031F03")), (0x9F07, octets("FF00")), (0x9F08, octets("0002")),
        (0x9F0D, octets("0000000000")), (0x9F0E, octets("0000000000")), (0x9F0F, octets("0000000000")),
        (0x9F42, octets("0978")),
      ], changes)
  }

  /// The record of mag-stripe mode: positions for three digits of the code, two of the number, three of the counter.
  static func magStripe(_ changes: [Tag: [UInt8]?] = [:]) -> [TLVNode] {
    changed(
      [
        (0x9F6C, octets("0001")), (0x9F62, octets("000000000E00")), (0x9F63, octets("00000000007E")),
        (0x56, Array("B5413330089600044^ /^2912201000010000000".utf8)), (0x9F64, [0x03]),
        (0x9F65, octets("000E")), (0x9F66, octets("0E70")), (0x9F6B, octets("5413330089600044D29122010000010000000F")),
        (0x9F67, [0x03]),
      ], changes)
  }

  /// The response to GENERATE AC: ARQC, ATC 7, cryptogram version 10.
  static func generated(_ changes: [Tag: [UInt8]?] = [:]) -> [TLVNode] {
    changed(
      [
        (0x9F27, [0x80]), (0x9F36, [0x00, 0x07]), (0x9F26, octets("1122334455667788")),
        (0x9F10, octets("0110A00003220000000000000000000000FF")),
      ], changes)
  }

  /// The response to COMPUTE CRYPTOGRAPHIC CHECKSUM: 609B is 24731 in decimal.
  static func computed(_ changes: [Tag: [UInt8]?] = [:]) -> [TLVNode] {
    changed([(0x9F61, octets("609B")), (0x9F60, octets("609B")), (0x9F36, octets("1E47"))], changes)
  }

  private static func changed(_ whole: [(Tag, [UInt8])], _ changes: [Tag: [UInt8]?]) -> [TLVNode] {
    let kept = whole.compactMap { tag, value -> TLVNode? in
      guard let change = changes[tag] else { return TLVNode(tag, value) }
      return change.map { TLVNode(tag, $0) }
    }
    let added = changes.filter { change in !whole.contains { $0.0 == change.key } }.sorted { $0.key < $1.key }
    return kept + added.compactMap { change in change.value.map { TLVNode(change.key, $0) } }
  }

  mutating func answer(_ command: CommandAPDU) -> ResponseAPDU {
    defer { commands.append(command) }
    return replacements[commands.count] ?? built(command)
  }

  private func built(_ command: CommandAPDU) -> ResponseAPDU {
    switch (command.cla, command.ins) {
    case (0x00, 0xA4): return select(command.data)
    case (0x80, 0xA8):
      if let optionsStatus { return ResponseAPDU(status: optionsStatus) }
      let options = [TLVNode(0x82, profile), TLVNode(0x94, locator)]
      return ResponseAPDU(
        data: (isFormat1 ? TLVNode(0x80, profile + locator) : TLVNode(0x77, options)).encoded)
    case (0x80, 0xEA): return ResponseAPDU(data: relay)
    case (0x00, 0xB2):
      guard let record = records[[command.p2 >> 3, command.p1]] else { return ResponseAPDU(status: .recordNotFound) }
      return ResponseAPDU(data: TLVNode(.recordTemplate, record).encoded)
    case (0x80, 0xAE): return cryptogram
    case (0x80, 0x2A): return checksum
    default: return ResponseAPDU(status: .instructionNotSupported)
    }
  }

  private func select(_ name: [UInt8]) -> ResponseAPDU {
    guard name != FileControlInformation.ppseName else {
      let entry = TLVNode(0x61, [TLVNode(0x4F, Self.name), TLVNode(0x87, [0x01])])
      return information(name, [TLVNode(0xBF0C, [entry])])
    }
    guard name == Self.name else { return ResponseAPDU(status: .notFound) }
    return information(
      name, [TLVNode(0x50, Array("MASTERCARD".utf8))] + (pdol.map { [TLVNode(0x9F38, $0)] } ?? []))
  }

  private func information(_ name: [UInt8], _ proprietary: [TLVNode]) -> ResponseAPDU {
    ResponseAPDU(data: TLVNode(0x6F, [TLVNode(0x84, name), TLVNode(0xA5, proprietary)]).encoded)
  }
}
