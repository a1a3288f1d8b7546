internal import Octets

/// Why bytes on the socket of a device are not a message of its protocol. The connection is closed then.
package enum LinkFailure: Error, Equatable, Sendable {
  /// A frame announces a message of no bytes, or of more than the limit.
  case length(Int, limit: Int)
  /// The bytes are not a message of the protocol.
  case malformed(String)
}

extension LinkFailure: CustomStringConvertible {
  /// A clause with the value and the limit.
  package var description: String {
    switch self {
    case .length(let count, let limit): "a message of \(count.bytes), where 1 to \(limit) are allowed"
    case .malformed(let reason): reason
    }
  }
}
