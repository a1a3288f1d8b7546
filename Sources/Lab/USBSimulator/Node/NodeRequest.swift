internal import Glibc

/// A request of usbfs, by the number that Linux gives it (linux/usbdevice_fs.h). The type `U` and this number are in the
/// low half of the ioctl's request.
enum NodeRequest: UInt64 {
  case control = 0x5500
  case setInterface = 0x5504
  case setConfiguration = 0x5505
  case getDriver = 0x5508
  case submit = 0x550A
  case discard = 0x550B
  case reap = 0x550C
  case reapWithoutWaiting = 0x550D
  case claimInterface = 0x550F
  case releaseInterface = 0x5510
  case connectionInformation = 0x5511
  case ioctl = 0x5512
  case reset = 0x5514
  case clearHalt = 0x5515
  case disconnect = 0x5516
  case connect = 0x5517
  case capabilities = 0x551A
  case speed = 0x551F

  init?(_ request: UInt64) { self.init(rawValue: request & 0xFFFF) }
}

/// `struct usbdevfs_urb` of a program with 64-bit addresses.
struct TransferRequest: Equatable, Sendable {
  enum Kind: UInt8, Sendable {
    case interrupt = 1
    case control = 2
    case bulk = 3
  }

  static let count = 56
  /// Where the status and the transferred count are.
  static let (statusOffset, actualCountOffset): (UInt64, UInt64) = (4, 28)

  let kind: Kind
  let endpoint: UInt8
  let buffer: UInt64
  let count: Int

  /// Reads the structure; nil for another kind of transfer, or a buffer that is too long.
  init?(_ octets: [UInt8]) {
    guard octets.count == Self.count, let kind = Kind(rawValue: octets[0]) else { return nil }
    let count = Int(UInt32(littleEndian: octets[24..<28]) ?? 0)
    guard count <= Self.maximumCount else { return nil }
    self.kind = kind
    endpoint = octets[1]
    buffer = UInt64(littleEndian: octets[16..<24]) ?? 0
    self.count = count
  }

  /// As much as the kernel lets a program have in flight by default: 16 MB.
  private static let maximumCount = 16 << 20
}

/// `struct usbdevfs_ctrltransfer` of a program with 64-bit addresses.
struct ControlRequest: Equatable, Sendable {
  static let count = 24

  let setup: [UInt8]
  let buffer: UInt64

  init(_ octets: [UInt8]) {
    setup = Array(octets.prefix(8))
    buffer = UInt64(littleEndian: octets.suffix(8)) ?? 0
  }
}
