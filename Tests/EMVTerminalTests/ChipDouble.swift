import Ciphers
import EMVCryptography
import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets

/// A card of kernel 4 or 5 made of data objects. It returns the objects that the test gives it, valid or not, and signs when it
/// is asked to and has certificates.
struct ChipDouble {
  var name: [UInt8]
  var kernel: UInt8
  var pdol: [UInt8]
  var profile: [UInt8]
  /// Data objects of the response to GET PROCESSING OPTIONS behind tags 82 and 94.
  var options: [TLVNode]
  var optionsStatus: StatusWord?
  var record: [TLVNode]
  private var certificates: [TLVNode] = []
  /// The response without a signature, for the type that was asked for; the type of a card that answers another one.
  var type: CryptogramType?
  var generated: [TLVNode] = [
    TLVNode(0x9F36, [0x00, 0x07]), TLVNode(0x9F26, octets("1122334455667788")),
    TLVNode(0x9F10, octets("06010103A00000")),
  ]
  /// What is changed in a response with a signature, after it was signed.
  var change: ([TLVNode]) -> [TLVNode] = { $0 }
  /// Responses to GET DATA by tag.
  var counters: [Tag: [UInt8]] = [:]
  private(set) var commands: [CommandAPDU] = []

  /// CDOL1. Tag 9F37 is at offset 29.
  static let cdol1 = octets("9F02069F03069F1A0295055F2A029A039C019F37049F35019F3403")
  static let numberOffset = 6 + 6 + 2 + 5 + 2 + 3 + 1

  /// American Express: a mobile device in EMV mode that reports a verification.
  static func americanExpress(_ changes: [Tag: [UInt8]?] = [:]) -> ChipDouble {
    ChipDouble(
      name: octets("A00000002501"), kernel: 4, pdol: octets("9F6E049F6D019F3501"), profile: octets("18C0"),
      options: [TLVNode(0x9F71, octets("010002"))],
      record: record("374245001751006F", "374245001751006D30122011143800000000", changes))
  }

  /// JCB: verified on the device.
  static func jcb(_ changes: [Tag: [UInt8]?] = [:]) -> ChipDouble {
    ChipDouble(
      name: octets("A0000000651010"), kernel: 5, pdol: octets("9F52019F53039F3704"), profile: octets("1800"),
      options: [TLVNode(0x9F50, [0x30])],
      record: record("3530111333300000", "3530111333300000D30122011143800000000F", changes))
  }

  private static func record(_ number: String, _ track: String, _ changes: [Tag: [UInt8]?]) -> [TLVNode] {
    let whole: [(Tag, [UInt8])] = [
      (0x5A, octets(number)), (0x57, octets(track)), (0x5F24, octets("301231")),
      (0x5F28, octets("0276")), (0x5F34, [0x00]), (0x8C, cdol1), (0x8E, octets("00000000000000001F03")),
      (0x9F07, octets("FF00")), (0x9F0D, octets("B450840000")), (0x9F0E, octets("0000000000")),
      (0x9F0F, octets("B470848000")), (0x9F4A, [0x82]),
    ]
    let kept = whole.compactMap { tag, value -> TLVNode? in
      guard let change = changes[tag] else { return TLVNode(tag, value) }
      return change.map { TLVNode(tag, $0) }
    }
    let added = changes.filter { change in !whole.contains { $0.0 == change.key } }.sorted { $0.key < $1.key }
    return kept + added.compactMap { change in change.value.map { TLVNode(change.key, $0) } }
  }

  /// The same card with CDA: certificates of an authority with its RID.
  func signing() throws -> ChipDouble {
    var card = self
    card.profile[0] |= 0x01
    let number = (record.first { $0.tag == 0x5A }?.value.hex ?? "").replacing("F", with: "")
    card.certificates = try SigningDouble.certificates(number, covering: record.encoded + card.profile)
    return card
  }

  mutating func answer(_ command: CommandAPDU) -> ResponseAPDU {
    defer { commands.append(command) }
    switch (command.cla, command.ins) {
    case (0x00, 0xA4): return select(command.data)
    case (0x80, 0xA8):
      if let optionsStatus { return ResponseAPDU(status: optionsStatus) }
      let locator = octets("08010101") + (certificates.isEmpty ? [] : octets("10010200"))
      let nodes = [TLVNode(0x82, profile), TLVNode(0x94, locator)] + options
      return ResponseAPDU(data: TLVNode(.responseFormat2, nodes).encoded)
    case (0x00, 0xB2):
      let records: [[UInt8]: [TLVNode]] = [
        [1, 1]: record, [2, 1]: Array(certificates.prefix(4)), [2, 2]: Array(certificates.dropFirst(4)),
      ]
      guard let record = records[[command.p2 >> 3, command.p1]] else { return ResponseAPDU(status: .recordNotFound) }
      return ResponseAPDU(data: TLVNode(.recordTemplate, record).encoded)
    case (0x80, 0xCA):
      let tag: Tag = command.p2 == 0x36 ? 0x9F36 : 0x9F13
      guard let value = counters[tag] else { return ResponseAPDU(status: .referencedDataNotFound) }
      return ResponseAPDU(data: TLVNode(tag, value).encoded)
    case (0x80, 0xAE): return cryptogram(command)
    default: return ResponseAPDU(status: .instructionNotSupported)
    }
  }

  private func cryptogram(_ command: CommandAPDU) -> ResponseAPDU {
    let asked = CryptogramType(cryptogramInformationData: command.p1 & 0xC0) ?? .aac
    let information = (type ?? asked).cryptogramInformationData
    let whole = [TLVNode(0x9F27, [information])] + generated
    guard command.p1 & 0x10 != 0, type != .aac else { return ResponseAPDU(data: TLVNode(0x77, whole).encoded) }
    let objects = whole.filter { $0.tag != 0x9F26 }
    var hash = SHA1Stream()
    hash.update((optionsValues + command.data + objects.encoded).span)
    var digest = [UInt8](repeating: 0, count: 20)
    var span = digest.mutableSpan
    hash.finish(into: &span, at: 0)
    let dynamic = octets("020007") + [information] + octets("1122334455667788") + digest
    let number = Array(command.data[Self.numberOffset..<Self.numberOffset + 4])
    guard let signature = try? SigningDouble.signature(0x05, dynamic, covering: number) else {
      return ResponseAPDU(status: .instructionNotSupported)
    }
    return ResponseAPDU(data: TLVNode(0x77, change(objects + [TLVNode(0x9F4B, signature)])).encoded)
  }

  /// The values of GET PROCESSING OPTIONS, behind tag 83 and its length.
  private var optionsValues: [UInt8] { Array((commands.last { $0.ins == 0xA8 }?.data ?? []).dropFirst(2)) }

  private func select(_ selected: [UInt8]) -> ResponseAPDU {
    guard selected != FileControlInformation.ppseName else {
      let entry = TLVNode(0x61, [TLVNode(0x4F, name), TLVNode(0x87, [0x01]), TLVNode(0x9F2A, [kernel])])
      return information(selected, [TLVNode(0xBF0C, [entry])])
    }
    guard selected == name else { return ResponseAPDU(status: .notFound) }
    return information(name, [TLVNode(0x50, Array("CHIP".utf8)), TLVNode(0x9F38, pdol)])
  }

  private func information(_ name: [UInt8], _ proprietary: [TLVNode]) -> ResponseAPDU {
    ResponseAPDU(data: TLVNode(0x6F, [TLVNode(0x84, name), TLVNode(0xA5, proprietary)]).encoded)
  }
}

extension Terminals {
  /// The shipped terminal with kernels 3, 2, 4 and 5, the authorities of `ChipDouble`, and other values.
  static func allKernels(_ changes: [(String, JSONValue)] = []) throws -> TerminalConfiguration {
    let authorities: JSONValue = [
      try SigningDouble.authority(octets("A000000025")), try SigningDouble.authority(octets("A000000065")),
    ]
    let profile = try allKernels(0..<4).setting("certificationAuthorities", to: authorities)
    return try TerminalConfiguration(changes.reduce(profile) { $0.setting($1.0, to: $1.1) })
  }

  /// Takes a payment from a card of kernel 4 or 5.
  static func tap(
    _ card: ChipDouble, _ amount: String = "12.34", _ changes: [(String, JSONValue)] = []
  ) throws -> Tap {
    var card = card
    return try tap(amount, "EUR", allKernels(changes)) { card.answer($0) }
  }
}

extension Tap {
  /// The last GENERATE AC.
  var generateAC: CommandAPDU? { commands.last { $0.ins == 0xAE } }

  /// Tag 95 as it went to a `ChipDouble`.
  var results: String { generateAC.map { Array($0.data[14..<19]).hex } ?? "" }
}
