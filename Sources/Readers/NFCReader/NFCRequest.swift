internal import Octets

/// A request to `tap-nfc`, the only process that links libnfc, because libnfc can abort its process.
///
/// `tap-nfc` answers each request with exactly one `NFCReply`, except `abort`.
package enum NFCRequest: Equatable, Sendable {
  /// List the connection strings of all devices that libnfc finds.
  case list
  /// Open and claim a device.
  case open(connstring: String)
  /// Search once for a card of ISO/IEC 14443 type A with ISO-DEP.
  case select
  /// Send a command to the selected card.
  case transceive(milliseconds: UInt32, command: [UInt8])
  /// Release the selected card and switch the field off.
  case release
  /// Present a card until a terminal has selected it. Blocks without a time limit.
  case await(identifier: [UInt8], historicalBytes: [UInt8])
  /// Wait for the terminal's next command. Blocks without a time limit.
  case receive
  /// Answer the terminal.
  case respond([UInt8])
  /// End the request that blocks. Has no response of its own.
  case abort

  private enum Kind: UInt8 {
    case list = 1
    case open, select, transceive, release, await, receive, respond, abort
  }

  /// Kind and parameters, without the frame.
  package var octets: [UInt8] {
    switch self {
    case .list: [Kind.list.rawValue]
    case .open(let connstring): [Kind.open.rawValue] + connstring.utf8
    case .select: [Kind.select.rawValue]
    case .transceive(let milliseconds, let command):
      [Kind.transceive.rawValue] + milliseconds.bigEndianOctets + command
    case .release: [Kind.release.rawValue]
    case .await(let identifier, let historicalBytes):
      [Kind.await.rawValue, UInt8(truncatingIfNeeded: identifier.count)] + identifier + historicalBytes
    case .receive: [Kind.receive.rawValue]
    case .respond(let response): [Kind.respond.rawValue] + response
    case .abort: [Kind.abort.rawValue]
    }
  }

  /// Parses a request; nil when the bytes are not a request.
  package init?(_ octets: [UInt8]) {
    guard let first = octets.first, let kind = Kind(rawValue: first) else { return nil }
    let rest = Array(octets.dropFirst())
    switch kind {
    case .list: self = .list
    case .open: self = .open(connstring: String(decoding: rest, as: UTF8.self))
    case .select: self = .select
    case .transceive:
      guard rest.count >= 4, let milliseconds = UInt32(bigEndian: rest.prefix(4)) else { return nil }
      self = .transceive(milliseconds: milliseconds, command: Array(rest[4...]))
    case .release: self = .release
    case .await:
      guard let count = rest.first.map(Int.init), rest.count > count else { return nil }
      self = .await(identifier: Array(rest[1...count]), historicalBytes: Array(rest[(count + 1)...]))
    case .receive: self = .receive
    case .respond: self = .respond(rest)
    case .abort: self = .abort
    }
  }
}
