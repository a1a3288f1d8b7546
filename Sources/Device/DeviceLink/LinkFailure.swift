/// Why a frame on the socket of a device cannot be read. The connection is closed then.
public enum LinkFailure: Error, Equatable, Sendable {
  /// The frame announces more octets than the limit.
  case tooLong(count: Int, limit: Int)
  /// The octets are not a message of the protocol.
  case malformed(String)
  /// The peer closed its end, or the connection broke.
  case closed
}
