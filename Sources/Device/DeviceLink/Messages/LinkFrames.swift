internal import Octets

/// The frames on the socket of a device: the length in four bytes, big-endian, then the message.
package struct LinkFrames: Sendable {
  /// The longest message, in bytes. The longest request, a prompt of control characters, needs about 6 200.
  package static let maximumCount = 8192
  private static let prefixCount = 4

  private var octets: [UInt8] = []

  /// Creates a buffer without bytes.
  package init() {}

  /// Frames a message. A message without bytes or of more than `maximumCount` is a programming error and traps.
  package static func framed(_ message: [UInt8]) -> [UInt8] {
    precondition((1...maximumCount).contains(message.count), "a message to or from tap-device has 1 to 8192 bytes")
    return UInt32(message.count).bigEndianOctets + message
  }

  /// Whether no byte of a further message was received.
  package var isEmpty: Bool { octets.isEmpty }

  /// Appends bytes from the socket.
  package mutating func append(_ more: some Sequence<UInt8>) { octets += more }

  /// Removes the next whole message; nil while it is incomplete. The message may hold a secret, so its bytes are
  /// overwritten in the buffer.
  ///
  /// - Throws: `LinkFailure.length`, as soon as the length is there: the buffer never holds more than one message and
  ///   what one call of the socket returned.
  package mutating func next() throws(LinkFailure) -> [UInt8]? {
    guard octets.count >= Self.prefixCount, let count = UInt32(bigEndian: octets[..<Self.prefixCount]) else {
      return nil
    }
    guard count >= 1, count <= UInt32(Self.maximumCount) else {
      throw .length(Int(count), limit: Self.maximumCount)
    }
    let end = Self.prefixCount + Int(count)
    guard octets.count >= end else { return nil }
    let message = Array(octets[Self.prefixCount..<end])
    for index in 0..<end { octets[index] = 0 }
    octets.removeFirst(end)
    return message
  }
}
