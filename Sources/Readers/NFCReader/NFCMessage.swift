internal import Foundation

/// A message between a program and its `tap-nfc`. It is sent as JSON: both programs are of one build.
package protocol NFCMessage: Codable, Equatable, Sendable {}

extension NFCMessage {
  /// The message without the frame.
  package var octets: [UInt8] {
    do {
      return Array(try JSONEncoder().encode(self))
    } catch {
      preconditionFailure("a message has integers and texts only: \(error)")
    }
  }

  /// Parses a message; nil when the bytes are not one.
  package init?(_ octets: [UInt8]) {
    guard let message = try? JSONDecoder().decode(Self.self, from: Data(octets)) else { return nil }
    self = message
  }
}
