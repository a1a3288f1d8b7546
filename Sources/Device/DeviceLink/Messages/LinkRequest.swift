package import DeviceAuthentication
internal import Octets

/// A request to a device. A connection carries one, which the device answers with one `LinkReply`; a watch is answered
/// when the key is lost, and `LinkReply.waiting` comes before that every 250 ms.
package enum LinkRequest: Equatable, Sendable {
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
  /// The keys behind one in the order of their identifiers; nil for the first ones.
  case listKeys(after: KeyIdentifier?)
  /// Closes the prompt of the request on this connection, which is then answered.
  case cancel
  /// Waits until a key is lost, as `ProtectedKeyStore.waitForLoss(of:)` defines it.
  case watchKey(KeyIdentifier)

  private enum Kind: UInt8 {
    case enrolment = 1
    case verifyBiometric, verifyPasscode, lockState, lockEpoch, createKey, accessKey, unseal, publicKey, sign,
      deleteKey, counter, advanceCounter, cancel, watchKey, listKeys
  }

  /// Kind and fields, without the frame.
  package var octets: [UInt8] {
    switch self {
    case .enrolment: [Kind.enrolment.rawValue]
    case .verifyBiometric(let prompt, let offers):
      [Kind.verifyBiometric.rawValue, offers ? 1 : 0] + MessageText.field(prompt)
    case .verifyPasscode(let prompt): [Kind.verifyPasscode.rawValue] + MessageText.field(prompt)
    case .lockState: [Kind.lockState.rawValue]
    case .lockEpoch: [Kind.lockEpoch.rawValue]
    case .createKey(let kind, let counting): [Kind.createKey.rawValue, kind.rawValue, counting ? 1 : 0]
    case .listKeys(nil): [Kind.listKeys.rawValue, 0]
    case .listKeys(let key?): [Kind.listKeys.rawValue, 1] + shortField(key.octets)
    case .accessKey(let key): [Kind.accessKey.rawValue] + shortField(key.octets)
    case .unseal(let key): [Kind.unseal.rawValue] + shortField(key.octets)
    case .publicKey(let key): [Kind.publicKey.rawValue] + shortField(key.octets)
    case .sign(let digest, let key): [Kind.sign.rawValue] + shortField(key.octets) + shortField(digest)
    case .deleteKey(let key): [Kind.deleteKey.rawValue] + shortField(key.octets)
    case .counter(let key): [Kind.counter.rawValue] + shortField(key.octets)
    case .advanceCounter(let key, let value):
      [Kind.advanceCounter.rawValue] + shortField(key.octets) + value.bigEndianOctets
    case .cancel: [Kind.cancel.rawValue]
    case .watchKey(let key): [Kind.watchKey.rawValue] + shortField(key.octets)
    }
  }

  /// Parses a request.
  package init(_ octets: [UInt8]) throws(LinkFailure) {
    var reader = MessageReader(octets.dropFirst())
    guard let first = octets.first, let kind = Kind(rawValue: first) else {
      throw .malformed("a request of an unknown kind")
    }
    self = try Self.request(kind, &reader)
    try reader.finish()
  }

  private static func request(_ kind: Kind, _ reader: inout MessageReader) throws(LinkFailure) -> LinkRequest {
    switch kind {
    case .enrolment: return .enrolment
    case .verifyBiometric:
      let offers = try reader.flag()
      return .verifyBiometric(prompt: try reader.text(), offeringPasscode: offers)
    case .verifyPasscode: return .verifyPasscode(prompt: try reader.text())
    case .lockState: return .lockState
    case .lockEpoch: return .lockEpoch
    case .createKey:
      let value = try reader.octet()
      guard let kind = ProtectedKeyKind(rawValue: value) else { throw .malformed("\(value) is not a kind of key") }
      return .createKey(kind, counting: try reader.flag())
    case .listKeys: return .listKeys(after: try reader.flag() ? try reader.key() : nil)
    case .accessKey: return .accessKey(try reader.key())
    case .unseal: return .unseal(try reader.key())
    case .publicKey: return .publicKey(try reader.key())
    case .sign:
      let key = try reader.key()
      return .sign(digest: try reader.shortOctets(), key)
    case .deleteKey: return .deleteKey(try reader.key())
    case .counter: return .counter(try reader.key())
    case .advanceCounter:
      let key = try reader.key()
      return .advanceCounter(key, from: try reader.number(UInt64.self))
    case .cancel: return .cancel
    case .watchKey: return .watchKey(try reader.key())
    }
  }
}
