internal import Glibc

/// A transfer between a program and a device.
enum HostTransfer {
  /// Which transfer of which program it is: the connection of the program, and the address of its request.
  struct Identifier: Hashable, Sendable {
    let connection: Int32
    let address: UInt64
  }

  /// How a transfer ended.
  enum Status: Sendable {
    case done
    /// The endpoint is halted.
    case stalled
    /// The device sent more than the host had room for.
    case overflowed
    /// The program discarded the transfer.
    case cancelled
    /// The device was unplugged.
    case unplugged

    /// The status of the request, a negative error number.
    var number: Int32 {
      switch self {
      case .done: 0
      case .stalled: -EPIPE
      case .overflowed: -EOVERFLOW
      case .cancelled: -ENOENT
      case .unplugged: -ESHUTDOWN
      }
    }
  }

  /// A transfer that has ended.
  struct Completion: Equatable, Sendable {
    let transfer: Identifier
    let status: Status
    /// What the device sent.
    let octets: [UInt8]
    /// How many bytes were transferred, in either direction.
    let count: Int
  }
}
