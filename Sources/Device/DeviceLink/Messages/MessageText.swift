internal import Foundation
internal import Octets

/// The text of a message: JSON with the names of the cases and their values. Another name, or another case, is another
/// version of the protocol (`LinkHello`).
enum MessageText {
  /// Writes a message.
  static func octets(of message: some Encodable) -> [UInt8] {
    guard let text = try? JSONEncoder().encode(message) else { preconditionFailure("every message can be written") }
    return Array(text)
  }

  /// Reads a message.
  static func message<Message: Decodable>(from octets: [UInt8]) throws(LinkFailure) -> Message {
    guard let message = try? JSONDecoder().decode(Message.self, from: Data(octets)) else {
      throw .malformed("\(octets.count.bytes) that are no message of a device")
    }
    return message
  }
}
