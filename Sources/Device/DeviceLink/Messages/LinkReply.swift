package import DeviceAuthentication
internal import Octets

/// The response of a device to a request.
package enum LinkReply: Equatable, Sendable {
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
  /// The request failed.
  case failed(DeviceAuthenticationError)
  /// The device works, and the key of a watch is not lost.
  case waiting

  /// The most keys in one answer: with identifiers of 64 bytes they fit into a message.
  package static let keysPerReply = 50

  private enum Kind: UInt8 {
    case done = 0x81
    case enrolment, biometric, passcode, lockState, lockEpoch, key, access, octets, counter, failed, waiting, keys
  }

  /// Kind and fields, without the frame.
  package var octets: [UInt8] {
    switch self {
    case .done: [Kind.done.rawValue]
    case .enrolment(let enrolment): [Kind.enrolment.rawValue] + enrolment.fields
    case .biometric(let result): [Kind.biometric.rawValue, BiometricResult.allCases.choice(result)]
    case .passcode(let result): [Kind.passcode.rawValue, PasscodeResult.allCases.choice(result)]
    case .lockState(let isSet): [Kind.lockState.rawValue, isSet ? 1 : 0]
    case .lockEpoch(let epoch): [Kind.lockEpoch.rawValue] + epoch.rawValue.bigEndianOctets
    case .key(let key): [Kind.key.rawValue] + shortField(key.octets)
    case .access(let access): [Kind.access.rawValue] + access.fields
    case .octets(let octets): [Kind.octets.rawValue] + shortField(octets)
    case .counter(let value):
      [Kind.counter.rawValue, value == nil ? 0 : 1] + (value?.bigEndianOctets ?? [])
    case .keys(let keys): [Kind.keys.rawValue, UInt8(keys.count)] + keys.flatMap(\.fields)
    case .failed(let error): [Kind.failed.rawValue] + error.fields
    case .waiting: [Kind.waiting.rawValue]
    }
  }

  /// Parses a reply.
  package init(_ octets: [UInt8]) throws(LinkFailure) {
    var reader = MessageReader(octets.dropFirst())
    guard let first = octets.first, let kind = Kind(rawValue: first) else {
      throw .malformed("a response of an unknown kind")
    }
    self = try Self.reply(kind, &reader)
    try reader.finish()
  }

  private static func reply(_ kind: Kind, _ reader: inout MessageReader) throws(LinkFailure) -> LinkReply {
    switch kind {
    case .done: .done
    case .enrolment: .enrolment(try BiometricEnrolment(&reader))
    case .biometric: .biometric(try reader.choice(BiometricResult.allCases))
    case .passcode: .passcode(try reader.choice(PasscodeResult.allCases))
    case .lockState: .lockState(try reader.flag())
    case .lockEpoch: .lockEpoch(LockEpoch(rawValue: try reader.number(UInt64.self)))
    case .key: .key(try reader.key())
    case .access: .access(try KeyAccess(&reader))
    case .octets: .octets(try reader.shortOctets())
    case .counter: .counter(try reader.flag() ? try reader.number(UInt64.self) : nil)
    case .keys: .keys(try listedKeys(&reader))
    case .failed: .failed(try DeviceAuthenticationError(&reader))
    case .waiting: .waiting
    }
  }

  private static func listedKeys(_ reader: inout MessageReader) throws(LinkFailure) -> [ListedKey] {
    let count = Int(try reader.octet())
    guard count <= keysPerReply else { throw .malformed("\(count) keys, where the limit is \(keysPerReply)") }
    var keys: [ListedKey] = []
    for _ in 0..<count { keys.append(try ListedKey(&reader)) }
    return keys
  }

  /// Returns the frame of `.octets` with the bytes of a sealing key.
  static func frame(unsealed key: borrowing Secret) -> Secret {
    let count = key.count
    precondition(count <= 255, "a sealing key has at most 255 bytes")
    let head = UInt32(count + 2).bigEndianOctets + [Kind.octets.rawValue, UInt8(count)]
    return key.withExposedOctets { octets in
      Secret(count: head.count + count) { (frame: inout MutableRawSpan) in
        frame.copy(head.span, to: 0)
        frame.copy(octets, to: head.count)
      }
    }
  }
}
