internal import Glibc
internal import Octets
internal import POSIX

/// The connection of a program that has opened a node, in the protocol of umockdev's preloaded library
/// (libumockdev-preload.c, `remote_emulate`): the program passes on each ioctl, and lets the owner of the node read and
/// write its memory until the owner ends the ioctl.
final class NodeConnection {
  /// A call of the program.
  enum Call: Equatable {
    case ioctl(request: UInt64, argument: UInt64)
    /// The program reads the node, from where its last read ended.
    case read(address: UInt64, count: Int)
  }

  private enum Message {
    /// From the program.
    static let (ioctl, read): (UInt64, UInt64) = (1, 7)
    /// To the program.
    static let (done, readMemory, writeMemory): (UInt64, UInt64, UInt64) = (3, 5, 6)
    /// Three words of 64 bits.
    static let count = 24
  }

  /// How long a program may take to send its memory: it does nothing else then.
  private static let patience = timeval(tv_sec: 10, tv_usec: 0)

  private let socket: Descriptor
  var number: Int32 { socket.number }
  /// How many bytes of the node the program has read.
  var position = 0

  init(_ socket: consuming Descriptor) {
    self.socket = socket
    var patience = Self.patience
    // The kernel copies one structure of this frame.
    _ = unsafe setsockopt(
      number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Receives a call. A write to the node is refused.
  ///
  /// - Returns: Nil when the program has closed the node.
  /// - Throws: When the connection fails.
  func receive() throws(SystemError) -> Call? {
    while let message = try read(Message.count) {
      let words = stride(from: 0, to: message.count, by: 8).map { UInt64(littleEndian: message[$0..<$0 + 8]) ?? 0 }
      if words[0] == Message.ioctl { return .ioctl(request: words[1], argument: words[2]) }
      if words[0] == Message.read { return .read(address: words[1], count: Int(clamping: words[2])) }
      try end(failingWith: EINVAL)
    }
    return nil
  }

  /// Reads the program's memory. Only during a call.
  func memory(at address: UInt64, count: Int) throws(SystemError) -> [UInt8] {
    guard count > 0 else { return [] }
    try send([Message.readMemory, address, UInt64(count)])
    guard let octets = try read(count) else { throw SystemError(ECONNRESET) }
    return octets
  }

  /// Writes the program's memory. Only during a call.
  func write(_ octets: [UInt8], at address: UInt64) throws(SystemError) {
    guard !octets.isEmpty else { return }
    try send([Message.writeMemory, address, UInt64(octets.count)], octets)
  }

  /// Ends the call.
  func end(_ result: Int = 0) throws(SystemError) {
    try send([Message.done, UInt64(result), 0])
  }

  /// Ends the call with an error number.
  func end(failingWith number: Int32) throws(SystemError) {
    try send([Message.done, .max, UInt64(number)])
  }

  private func send(_ words: [UInt64], _ octets: [UInt8] = []) throws(SystemError) {
    let message = words.flatMap(\.littleEndianOctets) + octets
    var sent = 0
    while sent < message.count {
      // The bytes of the array from `sent` on are valid during the call.
      let count = unsafe message[sent...].withUnsafeBytes { bytes in
        unsafe Glibc.send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw SystemError() }
      sent += count
    }
  }

  /// - Returns: Nil at the end of the stream.
  private func read(_ count: Int) throws(SystemError) -> [UInt8]? {
    var octets: [UInt8] = []
    var room = [UInt8](repeating: 0, count: min(count, 65_536))
    while octets.count < count {
      // The kernel writes at most as many bytes as are asked for, and the array has as many.
      let received = unsafe recv(number, &room, min(room.count, count - octets.count), 0)
      if received == 0 { return nil }
      guard received > 0 else { throw SystemError() }
      octets += room.prefix(received)
    }
    return octets
  }
}
