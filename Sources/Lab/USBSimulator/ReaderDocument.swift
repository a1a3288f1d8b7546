public import Documents
internal import Foundation
internal import JSON
public import Links
internal import ReaderSimulator

/// A file that describes a reader by the values of its descriptors: those of `Fixtures/Readers`.
public struct ReaderDocument: Equatable, Sendable {
  /// One interface of the class CCID.
  struct Interface: Equatable, Sendable {
    let name: String?
    let hasInterrupts: Bool
    let description: CCIDDescription
  }

  /// The numbers and names of the device, without its interfaces.
  let device: USBDescription
  let interfaces: [Interface]
  /// The chip that programs such as those of libnfc drive themselves: through pseudo-APDUs at the first interface, or its
  /// frames where there is no interface of the class CCID. Nil without one.
  let chip: ChipModel?
  /// What a user found out about the reader; nil for a document without it. The simulator ignores it.
  public var evidence: ReaderEvidence?

  init(device: USBDescription, interfaces: [Interface], chip: ChipModel?) {
    (self.device, self.interfaces, self.chip) = (device, interfaces, chip)
  }

  /// The document of a reader that is not at the USB bus.
  public static var withoutDevice: ReaderDocument {
    ReaderDocument(device: USBDescription(vendor: 0, product: 0, interfaces: []), interfaces: [], chip: nil)
  }

  /// Reads a document.
  ///
  /// - Throws: `DocumentError` with every problem and its place.
  public init(parsing octets: [UInt8]) throws(DocumentError) {
    let document: JSONValue
    do throws(JSONError) {
      document = try JSONValue(parsing: octets)
    } catch { throw DocumentError("$", at: error.position, "expected \(error.expected), found \(error.found)") }
    var reader = ObjectReader(document)
    guard !reader.has("evidence") || reader.has("vendor") else {
      throw DocumentError("$", "this is evidence of a reader that is not at the USB bus: it has no values of a device")
    }
    let numbers = ["vendor", "product", "release"].map { UInt16(truncatingIfNeeded: reader.hexadecimal($0, digits: 4)) }
    device = USBDescription(
      vendor: numbers[0], product: numbers[1], release: numbers[2],
      manufacturer: reader.optionalText("manufacturer", characters: 1...126),
      name: reader.optionalText("name", characters: 1...126), interfaces: [])
    chip = reader.optionalChoice("chip", of: ChipModel.allCases.map { ($0.rawValue, $0) })
    let read = reader.optionalList("interfaces", isRequired: chip == nil) { value, place, reader in
      reader.object(value, at: place, Interface.init(reading:))
    }
    interfaces = read ?? []
    if read != nil, !(1...4).contains(interfaces.count) { reader.note("interfaces", "a reader has 1 to 4 interfaces") }
    _ = reader.optionalText("origin")
    evidence = reader.optionalObject("evidence", ReaderEvidence.init(reading:))
    let problems = reader.finish()
    guard problems.isEmpty else { throw DocumentError(problems) }
  }

  /// The name of the reader: maker and product.
  public var name: String { [device.manufacturer, device.name].compactMap(\.self).joined(separator: " ") }

  /// The vendor and the product, as lsusb prints them: `072f:223b`.
  public var identifier: String {
    [device.vendor, device.product].map { String(format: "%04x", $0) }.joined(separator: ":")
  }

  /// bcdDevice, the version of the firmware: 0206 is 2.06.
  public var release: UInt16 { device.release }

  /// Whether it is one of the ACR122 family, whose firmware answers GET FIRMWARE.
  public var isACR122: Bool { device.vendor == 0x072F && [0x2200, 0x90CC].contains(device.product) }

  /// Whether programs such as those of libnfc can drive its chip themselves.
  public var hasChip: Bool { chip != nil }

  /// Whether pcscd can drive it.
  public var isSmartCardReader: Bool { !interfaces.isEmpty }

  /// The reader as a device.
  ///
  /// - Throws: `LinkError.Code.transmissionFailed` when the process has no descriptors left.
  public func device(packetSize: UInt16 = 64) throws(LinkError) -> SimulatedUSBDevice {
    if let chip, interfaces.isEmpty { return try .chip(device, model: chip) }
    var described = device
    described.interfaces = interfaces.map { .init(classCode: 0x0B, name: $0.name, endpoints: []) }
    return .reader(
      described, interfaces: interfaces.map(\.description), hasInterrupts: interfaces.map(\.hasInterrupts),
      packetSize: packetSize, chip: try chip.map { (model) throws(LinkError) in try ChipPort((model, .direct)) })
  }
}

extension ReaderDocument.Interface {
  init(reading reader: inout ObjectReader) {
    name = reader.optionalText("name", characters: 1...126)
    hasInterrupts = reader.integer("endpoints", in: 2...3) == 3
    let number = { (key: String, reader: inout ObjectReader) in
      UInt32(truncatingIfNeeded: reader.integer(key, in: 0...0xFFFF_FFFF))
    }
    var description = CCIDDescription()
    description.version = UInt16(truncatingIfNeeded: reader.hexadecimal("version", digits: 4))
    description.maximumSlotIndex = UInt8(truncatingIfNeeded: reader.integer("maximumSlotIndex", in: 0...15))
    description.voltages = UInt8(truncatingIfNeeded: reader.hexadecimal("voltages", digits: 2))
    description.protocols = reader.hexadecimal("protocols", digits: 8)
    description.clocks = (number("clock", &reader), number("maximumClock", &reader))
    description.dataRates = (number("dataRate", &reader), number("maximumDataRate", &reader))
    description.maximumInformationFieldCount = number("maximumInformationField", &reader)
    description.features = reader.hexadecimal("features", digits: 8)
    description.maximumMessageCount = UInt32(truncatingIfNeeded: reader.integer("maximumMessage", in: 11...70_000))
    description.pinSupport = UInt8(truncatingIfNeeded: reader.hexadecimal("pinSupport", digits: 2))
    description.busySlots = UInt8(truncatingIfNeeded: reader.integer("busySlots", in: 0...255))
    self.description = description
  }
}

extension ObjectReader {
  /// The number of a text of hexadecimal digits; zero where it is missing or wrong.
  fileprivate mutating func hexadecimal(_ key: String, digits: Int) -> UInt32 {
    let text = text(key, characters: digits...digits)
    if let number = UInt32(text, radix: 16) { return number }
    note(key, "\(digits) hexadecimal digits are needed")
    return 0
  }
}
