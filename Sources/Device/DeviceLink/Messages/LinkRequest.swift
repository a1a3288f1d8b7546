package import DeviceAuthentication
internal import Octets

/// A request to a device. A connection carries one, which the device answers with one `LinkReply`.
package enum LinkRequest: Codable, Equatable, Sendable {
  /// The present enrolment.
  case enrolment
  /// One prompt at the sensor.
  case verifyBiometric(prompt: String, offeringPasscode: Bool)
  /// One passcode prompt, on the terminal whose descriptor comes with this request.
  case verifyPasscode(prompt: String)
  /// Whether the lock is set.
  case lockState
  /// The lock epoch.
  case lockEpoch
  /// The functions of `ProtectedKeyStore`.
  case createKey(ProtectedKeyKind, counting: Bool)
  case accessKey(KeyIdentifier)
  case unseal(KeyIdentifier)
  case publicKey(KeyIdentifier)
  case sign(digest: [UInt8], KeyIdentifier)
  case deleteKey(KeyIdentifier)
  case counter(KeyIdentifier)
  /// Answered with `done` for a counter that was raised, and with `counter` for one that has another value.
  case advanceCounter(KeyIdentifier, from: UInt64)
  /// The note of a name.
  case note(String)
  /// Keeps a note, and is answered with the one that the device then keeps.
  case keepNote([UInt8], named: String, replacing: [UInt8]?)
  /// The keys behind one in the order of their identifiers; nil for the first ones.
  case listKeys(after: KeyIdentifier?)
  /// Closes the prompt of the request on this connection, which is then answered.
  case cancel
  /// A reading, as `DeviceMonitor` defines it.
  case status(KeyIdentifier, needsEnrolment: Bool)

  /// The longest prompt in UTF-8 bytes.
  package static let maximumPromptCount = 1024

  /// The request as JSON, without the frame.
  package var octets: [UInt8] { MessageText.octets(of: self) }

  /// Parses a request.
  package init(_ octets: [UInt8]) throws(LinkFailure) {
    self = try MessageText.message(from: octets)
    switch self {
    case .verifyBiometric(let prompt, _), .verifyPasscode(let prompt):
      guard prompt.utf8.count <= Self.maximumPromptCount else {
        throw .malformed("a prompt of \(prompt.utf8.count.bytes), where the limit is \(Self.maximumPromptCount)")
      }
    default: break
    }
  }

  /// The beginning of a text that fits into a prompt. It is cut between two characters.
  static func prompt(_ text: String) -> String {
    var prompt = ""
    for character in text {
      guard prompt.utf8.count + character.utf8.count <= maximumPromptCount else { break }
      prompt.append(character)
    }
    return prompt
  }
}
