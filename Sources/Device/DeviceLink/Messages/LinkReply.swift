package import DeviceAuthentication
internal import Octets

/// The response of a device to a request.
package enum LinkReply: Codable, Equatable, Sendable {
  /// The request is done.
  case done
  /// The present enrolment.
  case enrolment(BiometricEnrolment)
  /// How a prompt at the sensor ended.
  case biometric(BiometricResult)
  /// How a passcode prompt ended.
  case passcode(PasscodeResult)
  /// Whether the lock is set.
  case lockState(Bool)
  /// The lock epoch.
  case lockEpoch(LockEpoch)
  /// A new key.
  case key(KeyIdentifier)
  /// The result of an access to a key.
  case access(KeyAccess)
  /// A public key or a signature, and for the client the bytes of a sealing key: at most 255 bytes.
  case octets([UInt8])
  /// The counter of a key; nil when the device has none.
  case counter(UInt64?)
  /// A part of the keys: fewer than `keysPerReply` when no further key follows.
  case keys([ListedKey])
  /// A note; nil when the device keeps none under the name.
  case note([UInt8]?)
  /// The request failed.
  case failed(DeviceAuthenticationError)
  /// A reading.
  case status(DeviceCondition)

  /// The most keys in one answer: with identifiers of 64 bytes they fit into a message.
  package static let keysPerReply = 40

  // Bytes are no JSON, so that those of a sealing key stay in locked memory. No text begins with this byte.
  private static let octetsMark: UInt8 = 0x89

  /// The response without the frame: JSON, or `octets` behind a mark and their count in one byte.
  package var octets: [UInt8] {
    if case .octets(let octets) = self { return [Self.octetsMark, UInt8(octets.count)] + octets }
    let message = MessageText.octets(of: self)
    if message.count <= LinkFrames.maximumCount { return message }
    return MessageText.octets(of: Self.failed(.unavailable(reason: "a response of \(message.count.bytes)")))
  }

  /// Parses a reply.
  package init(_ octets: [UInt8]) throws(LinkFailure) {
    guard octets.first == Self.octetsMark else {
      self = try MessageText.message(from: octets)
      // A wallet stores it, in a field of this size.
      if case .enrolment(let enrolment) = self, enrolment.digest.count > BiometricEnrolment.maximumDigestCount {
        throw .malformed("a digest of \(enrolment.digest.count.bytes), where the limit is 32")
      }
      return
    }
    guard octets.count >= 2, octets.count == 2 + Int(octets[1]) else {
      throw .malformed("\(octets.count.bytes), which have another count")
    }
    self = .octets(Array(octets.dropFirst(2)))
  }

  /// Returns the frame of `.octets` with the bytes of a sealing key.
  static func frame(unsealed key: borrowing Secret) -> Secret {
    let count = key.count
    precondition(count <= 255, "a sealing key has at most 255 bytes")
    let head = UInt32(count + 2).bigEndianOctets + [octetsMark, UInt8(count)]
    return key.withExposedOctets { octets in
      Secret(count: head.count + count) { (frame: inout MutableRawSpan) in
        frame.copy(head.span, to: 0)
        frame.copy(octets, to: head.count)
      }
    }
  }
}
