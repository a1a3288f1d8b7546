/// Frames on the socket between engine and `tap-nfc`: two octets of length, big-endian, then that many octets.
package struct NFCFrames: Sendable {
  /// No message is longer: the longest connection string of libnfc and the longest list of devices fit.
  package static let maximumCount = 16_384

  private var octets: [UInt8] = []

  /// Creates an empty collection.
  package init() {}

  /// A message in its frame; one that is too long traps.
  package static func framed(_ message: [UInt8]) -> [UInt8] {
    precondition(message.count <= maximumCount, "a message to or from tap-nfc has at most 16384 octets")
    return [UInt8(message.count >> 8), UInt8(message.count & 0xFF)] + message
  }

  /// Takes octets from the socket.
  package mutating func append(_ more: some Sequence<UInt8>) { octets += more }

  /// The next whole message, or nil.
  ///
  /// - Throws: `NFCFailure` when the peer announces a longer message than there can be.
  package mutating func next() throws(NFCFailure) -> [UInt8]? {
    guard octets.count >= 2 else { return nil }
    let count = Int(octets[0]) << 8 | Int(octets[1])
    guard count <= Self.maximumCount else {
      throw NFCFailure(.other, "a message of \(count) octets: the limit is \(Self.maximumCount)")
    }
    guard octets.count >= 2 + count else { return nil }
    defer { octets.removeFirst(2 + count) }
    return Array(octets[2..<(2 + count)])
  }
}
