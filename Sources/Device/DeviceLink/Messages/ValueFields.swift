internal import DeviceAuthentication
internal import Octets

extension BiometricEnrolment {
  var fields: [UInt8] {
    let kind = BiometricKind.allCases.choice(kind)
    return switch state {
    case .enrolled: [kind, 0] + shortField(digest)
    case .notEnrolled: [kind, 1]
    case .unavailable(let reason): [kind, 2] + MessageText.field(reason)
    }
  }

  init(_ reader: inout MessageReader) throws(LinkFailure) {
    let kind = try reader.choice(BiometricKind.allCases)
    switch try reader.octet() {
    case 0:
      let digest = try reader.shortOctets()
      guard digest.count <= 32 else { throw .malformed("a digest of \(digest.count.bytes), where the limit is 32") }
      self = .enrolled(kind, digest: digest)
    case 1: self = .notEnrolled(kind)
    case 2: self = .unavailable(kind, reason: try reader.text())
    case let other: throw .malformed("\(other) is not a state of an enrolment")
    }
  }
}

extension KeyAccess {
  var fields: [UInt8] {
    switch self {
    case .usable: [0]
    case .invalidated(let reason): [1] + reason.fields
    case .missing: [2]
    }
  }

  init(_ reader: inout MessageReader) throws(LinkFailure) {
    switch try reader.octet() {
    case 0: self = .usable
    case 1: self = .invalidated(try KeyInvalidation(&reader))
    case 2: self = .missing
    case let other: throw .malformed("\(other) is not a result of an access")
    }
  }
}

extension KeyInvalidation {
  var fields: [UInt8] {
    switch self {
    case .lockRemoved(let key, let present):
      [0] + key.rawValue.bigEndianOctets + present.rawValue.bigEndianOctets
    case .keyGone: [1]
    case .enrolmentChanged: [2]
    case .refused(let code): [3] + code.bigEndianOctets
    case .enrolmentRemoved: [4]
    case .attemptsExhausted: [5]
    case .otherDevice: [6]
    }
  }

  init(_ reader: inout MessageReader) throws(LinkFailure) {
    switch try reader.octet() {
    case 0:
      let key = LockEpoch(rawValue: try reader.number(UInt64.self))
      self = .lockRemoved(keyEpoch: key, presentEpoch: LockEpoch(rawValue: try reader.number(UInt64.self)))
    case 1: self = .keyGone
    case 2: self = .enrolmentChanged
    case 3: self = .refused(code: try reader.number(UInt32.self))
    case 4: self = .enrolmentRemoved
    case 5: self = .attemptsExhausted
    case 6: self = .otherDevice
    case let other: throw .malformed("\(other) is not a reason why a key is invalid")
    }
  }
}

extension ListedKey {
  var fields: [UInt8] { shortField(identifier.octets) + [kind?.rawValue ?? 0, isCounting ? 1 : 0] }

  init(_ reader: inout MessageReader) throws(LinkFailure) {
    let identifier = try reader.key()
    let kind = ProtectedKeyKind(rawValue: try reader.octet())
    self.init(identifier: identifier, kind: kind, isCounting: try reader.flag())
  }
}

extension DeviceAuthenticationError {
  var fields: [UInt8] {
    switch self {
    case .authenticationKeyInvalidated(let reason): [0] + reason.fields
    case .authenticationKeyMissing: [1]
    case .biometricNotEnrolled(let detail): [2] + MessageText.field(detail)
    case .passcodeNotSet: [3]
    case .authenticationFailed: [4]
    case .lockedOut(let method): [5, VerificationMethod.allCases.choice(method)]
    case .cancelled: [6]
    case .timedOut(let limit): [7] + UInt64(clamping: limit.nanoseconds).bigEndianOctets
    case .busy(let holder): [8] + MessageText.field(holder)
    case .unavailable(let reason): [9] + MessageText.field(reason)
    case .verificationExpired: [10]
    case .fallbackRequested: [11]
    }
  }

  init(_ reader: inout MessageReader) throws(LinkFailure) {
    switch try reader.octet() {
    case 0: self = .authenticationKeyInvalidated(try KeyInvalidation(&reader))
    case 1: self = .authenticationKeyMissing
    case 2: self = .biometricNotEnrolled(try reader.text())
    case 3: self = .passcodeNotSet
    case 4: self = .authenticationFailed
    case 5: self = .lockedOut(try reader.choice(VerificationMethod.allCases))
    case 6: self = .cancelled
    case 7: self = .timedOut(limit: .nanoseconds(Int64(clamping: try reader.number(UInt64.self))))
    case 8: self = .busy(try reader.text())
    case 9: self = .unavailable(reason: try reader.text())
    case 10: self = .verificationExpired
    case 11: self = .fallbackRequested
    case let other: throw .malformed("\(other) is not an error of a device")
    }
  }
}
