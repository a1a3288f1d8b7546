internal import ReaderSimulator

/// The reason why the descriptors of a USB device describe no reader that can be simulated.
public struct DescriptorError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A sentence without its full stop.
  public let description: String

  init(_ description: String) { self.description = description }
}

extension ReaderDocument {
  /// Reads the descriptors of a device: its interfaces of the class CCID, without alternate settings and without those of
  /// other classes (USB 2.0, 9.6; USB CCID 1.1, 5.1).
  ///
  /// - Parameters:
  ///   - descriptors: The device descriptor and that of the configuration, as sysfs shows them.
  ///   - manufacturer: The text of iManufacturer; nil for none.
  ///   - product: The text of iProduct; nil for none.
  ///   - interfaceNames: The texts of iInterface, by bInterfaceNumber.
  /// - Throws: `DescriptorError` for descriptors that are cut off, and for a device that is no reader.
  public init(
    descriptors: [UInt8], manufacturer: String?, product: String?, interfaceNames: [Int: String] = [:]
  ) throws(DescriptorError) {
    let parts = try Self.parts(of: descriptors)
    guard let first = parts.first, first.count >= 18, first[1] == 1 else {
      throw DescriptorError("the first descriptor is not that of a device: 18 bytes of the type 01 are needed")
    }
    let number = { (offset: Int) in UInt16(littleEndian: first[offset..<(offset + 2)]) ?? 0 }
    let device = USBDescription(
      vendor: number(8), product: number(10), release: number(12), manufacturer: manufacturer.shortened,
      name: product.shortened, interfaces: [])
    let found = Self.settings(in: parts).compactMap { $0.interface(interfaceNames) }
    let chip = Self.chips[UInt32(device.vendor) << 16 | UInt32(device.product)]
    guard chip != nil || !found.isEmpty else {
      throw DescriptorError("the device has no interface of the class CCID, and no chip that libnfc drives")
    }
    guard found.count <= 4 else {
      throw DescriptorError("the device has \(found.count) interfaces of the class CCID: the limit is 4")
    }
    self.init(device: device, interfaces: found, chip: chip)
  }

  /// The chips that libnfc drives, by vendor and product: the tables of its drivers acr122_usb and pn53x_usb.
  private static let chips: [UInt32: ChipModel] = [
    0x072F_2200: .pn532, 0x04CC_0531: .pn531, 0x054C_0193: .pn531, 0x04CC_2533: .pn533,
    0x04E6_5591: .pn533, 0x04E6_5594: .pn533, 0x1FD3_0608: .pn533,
  ]

  /// The descriptors, each with its length and type.
  private static func parts(of octets: [UInt8]) throws(DescriptorError) -> [[UInt8]] {
    var (parts, offset): ([[UInt8]], Int) = ([], 0)
    while offset < octets.count {
      let count = Int(octets[offset])
      guard count >= 2, offset + count <= octets.count else {
        throw DescriptorError(
          "the descriptor at byte \(offset) has the length \(count), and \(octets.count - offset) are left")
      }
      parts.append(Array(octets[offset..<(offset + count)]))
      offset += count
    }
    return parts
  }

  /// The first setting of each interface of the first configuration, with the descriptors that belong to it.
  private static func settings(in parts: [[UInt8]]) -> [InterfaceSetting] {
    var (settings, configurations): ([InterfaceSetting], Int) = ([], 0)
    for part in parts.dropFirst() {
      if part[1] == 2 { configurations += 1 }
      guard configurations == 1 else { continue }
      if part[1] == 4, part.count >= 9 {
        settings.append(InterfaceSetting(descriptor: part))
      } else if !settings.isEmpty {
        settings[settings.count - 1].others.append(part)
      }
    }
    return settings.filter { $0.descriptor[3] == 0 }
  }
}

/// The descriptor of an interface, and those of its class and endpoints.
private struct InterfaceSetting {
  let descriptor: [UInt8]
  var others: [[UInt8]] = []

  /// The interface of a reader; nil for one of another class. Some readers have the class of their vendor.
  func interface(_ names: [Int: String]) -> ReaderDocument.Interface? {
    guard [0x00, 0x0B, 0xFF].contains(descriptor[5]),
      let description = others.lazy.compactMap({ CCIDDescription(descriptor: $0) }).first
    else { return nil }
    let hasInterrupts = others.contains { $0.count >= 7 && $0[1] == 5 && $0[3] & 0x03 == 3 && $0[2] & 0x80 != 0 }
    return ReaderDocument.Interface(
      name: names[Int(descriptor[2])].shortened, hasInterrupts: hasInterrupts, description: description)
  }
}

extension CCIDDescription {
  /// Reads the descriptor of the class; nil for any other descriptor.
  fileprivate init?(descriptor octets: [UInt8]) {
    guard octets.count == 0x36, octets[1] == 0x21 else { return nil }
    let number = { (offset: Int) in UInt32(littleEndian: octets[offset..<(offset + 4)]) ?? 0 }
    self.init(
      version: UInt16(littleEndian: octets[2..<4]) ?? 0, maximumSlotIndex: octets[4], voltages: octets[5],
      protocols: number(6), clocks: (number(10), number(14)), dataRates: (number(19), number(23)),
      maximumInformationFieldCount: number(28), features: number(40), maximumMessageCount: number(44),
      pinSupport: octets[52], busySlots: octets[53])
  }
}

extension String? {
  /// The text as far as a document holds it; nil for an empty one.
  fileprivate var shortened: String? { flatMap { $0.isEmpty ? nil : String($0.prefix(126)) } }
}
