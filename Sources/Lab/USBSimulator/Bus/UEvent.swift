internal import Octets

/// A message of udev about a device, as libudev receives it (systemd, sd-device/device-monitor.c). Pure.
struct UEvent: Equatable, Sendable {
  enum Action: String, Sendable {
    case add, remove
  }

  let action: Action
  /// The path of the device in sysfs, without `/sys`.
  let path: String
  /// The properties of the device's `uevent` file.
  let properties: [(name: String, value: String)]
  let sequenceNumber: Int

  static func == (left: Self, right: Self) -> Bool { left.octets == right.octets }

  /// The bytes of the datagram: the header of libudev, and the properties, each ended by a zero.
  var octets: [UInt8] {
    var texts = ["ACTION=\(action.rawValue)", "DEVPATH=\(path)", "SUBSYSTEM=\(Self.subsystem)"]
    texts += properties.map { "\($0.name)=\($0.value)" }
    texts.append("SEQNUM=\(sequenceNumber)")
    let body = texts.reduce(into: [UInt8]()) { $0 += Array($1.utf8) + [0] }
    let type = properties.first { $0.name == "DEVTYPE" }?.value ?? ""
    var octets = Array("libudev".utf8) + [0]
    octets += UInt32(0xFEED_CAFE).bigEndianOctets
    for number in [Self.headerCount, Self.headerCount, UInt32(body.count)] { octets += number.littleEndianOctets }
    octets += Self.hash(Self.subsystem).bigEndianOctets
    octets += Self.hash(type).bigEndianOctets
    octets += [UInt8](repeating: 0, count: 8)
    return octets + body
  }

  private static let subsystem = "usb"
  private static let headerCount: UInt32 = 40

  /// MurmurHash2 with seed 0, by which receivers filter messages.
  static func hash(_ text: String) -> UInt32 {
    let (multiplier, octets): (UInt32, [UInt8]) = (0x5BD1_E995, Array(text.utf8))
    var hash = UInt32(truncatingIfNeeded: octets.count)
    let whole = octets.count / 4 * 4
    for start in stride(from: 0, to: whole, by: 4) {
      var word = (0..<4).reduce(UInt32(0)) { $0 | UInt32(octets[start + $1]) << (8 * UInt32($1)) } &* multiplier
      word ^= word >> 24
      hash = hash &* multiplier ^ word &* multiplier
    }
    if whole < octets.count {
      for index in whole..<octets.count { hash ^= UInt32(octets[index]) << (8 * UInt32(index - whole)) }
      hash = hash &* multiplier
    }
    hash = (hash ^ hash >> 13) &* multiplier
    return hash ^ hash >> 15
  }
}
