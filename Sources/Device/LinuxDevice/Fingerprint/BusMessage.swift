/// Why a call over the system bus failed.
struct BusError: Error, Equatable, Sendable {
  /// The name of the error, such as `net.reactivated.Fprint.Error.NoSuchDevice`.
  let name: String
  /// The sentence of the sender.
  let message: String

  /// The bus is not there, or the connection to it broke.
  static let disconnected = "org.freedesktop.DBus.Error.Disconnected"
  /// There was no answer within the limit.
  static let timeout = "org.freedesktop.DBus.Error.Timeout"
}

/// A method of an object on the bus with at most one argument, a string.
struct BusCall: Equatable, Sendable {
  let service: String
  let path: String
  let interface: String
  let method: String
  let argument: String?
}

/// A value in a message, of the types that are used here.
enum BusValue: Equatable, Sendable {
  case text(String)
  case flag(Bool)
  case texts([String])
}

/// A message that was received.
struct BusMessage: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    case reply(to: UInt64)
    case error(to: UInt64, BusError)
    case signal(interface: String, member: String)
    case other
  }

  let kind: Kind
  /// The unique name of the sender. The bus sets it, so a sender cannot claim another's.
  let sender: String
  /// The object that sent a signal.
  let path: String
  /// The leading values whose types are used here.
  let values: [BusValue]
}
