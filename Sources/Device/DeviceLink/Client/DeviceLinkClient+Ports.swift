internal import DeviceAuthentication
internal import Octets

struct LinkedSensor: BiometricVerifier {
  let client: DeviceLinkClient

  func enrolment() async throws(DeviceAuthenticationError) -> BiometricEnrolment {
    guard case .enrolment(let enrolment) = try await client.call(.enrolment) else { throw .unexpectedAnswer }
    return enrolment
  }

  func verify(prompt: String, offeringPasscode: Bool) async throws(DeviceAuthenticationError) -> BiometricResult {
    let request = LinkRequest.verifyBiometric(
      prompt: LinkRequest.prompt(prompt), offeringPasscode: offeringPasscode)
    guard let reply = try await client.prompt(request) else { return .cancelled }
    guard case .biometric(let result) = reply else { throw .unexpectedAnswer }
    return result
  }
}

struct LinkedPasscode: PasscodeVerifier {
  let client: DeviceLinkClient

  func verify(prompt: String) async throws(DeviceAuthenticationError) -> PasscodeResult {
    let terminal = try ClientTerminal(client.terminal)
    defer { withExtendedLifetime(terminal) {} }
    guard let reply = try await client.prompt(.verifyPasscode(prompt: LinkRequest.prompt(prompt)), on: terminal) else {
      return .cancelled
    }
    guard case .passcode(let result) = reply else { throw .unexpectedAnswer }
    return result
  }
}

struct LinkedLock: DeviceLock {
  let client: DeviceLinkClient

  func isSet() async throws(DeviceAuthenticationError) -> Bool {
    guard case .lockState(let isSet) = try await client.call(.lockState) else { throw .unexpectedAnswer }
    return isSet
  }

  func epoch() async throws(DeviceAuthenticationError) -> LockEpoch {
    guard case .lockEpoch(let epoch) = try await client.call(.lockEpoch) else { throw .unexpectedAnswer }
    return epoch
  }
}

struct LinkedMonitor: DeviceMonitor {
  let client: DeviceLinkClient

  var mayBlock: Bool { true }

  func status(
    of key: KeyIdentifier, needsEnrolment: Bool
  ) throws(DeviceAuthenticationError) -> DeviceCondition {
    let call = LinkCall(
      socket: client.socket, request: .status(key, needsEnrolment: needsEnrolment), cancelLimit: client.cancelLimit)
    guard case .status(let status) = try call.run(wake: nil, until: SystemClock().now + DeviceCondition.limit) else {
      throw .unexpectedAnswer
    }
    return status
  }
}

struct LinkedKeyStore: ProtectedKeyStore {
  let client: DeviceLinkClient

  func create(
    _ kind: ProtectedKeyKind, counting: Bool
  ) async throws(DeviceAuthenticationError) -> KeyIdentifier {
    guard case .key(let key) = try await client.call(.createKey(kind, counting: counting)) else {
      throw .unexpectedAnswer
    }
    return key
  }

  func list() async throws(DeviceAuthenticationError) -> [ListedKey] {
    var keys: [ListedKey] = []
    while true {
      guard case .keys(let more) = try await client.call(.listKeys(after: keys.last?.identifier)) else {
        throw .unexpectedAnswer
      }
      keys += more
      if more.count < LinkReply.keysPerReply { return keys }
    }
  }

  func access(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> KeyAccess {
    guard case .access(let access) = try await client.call(.accessKey(key)) else { throw .unexpectedAnswer }
    return access
  }

  func unseal(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> Secret {
    guard case .octets(var octets) = try await client.call(.unseal(key)), octets.count == 32 else {
      throw .unexpectedAnswer
    }
    return Secret(wiping: &octets)
  }

  func publicKey(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
    try await octets(65, .publicKey(key))
  }

  func sign(_ digest: [UInt8], with key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
    guard digest.count == 32 else { throw .unavailable(reason: "a digest has 32 bytes, not \(digest.count)") }
    return try await octets(64, .sign(digest: digest, key))
  }

  func note(named name: String) async throws(DeviceAuthenticationError) -> [UInt8]? {
    try DeviceNote.check(name)
    return try await note(.note(name))
  }

  func keep(
    _ note: [UInt8], named name: String, replacing former: [UInt8]?
  ) async throws(DeviceAuthenticationError) -> [UInt8]? {
    try DeviceNote.check(name, note)
    return try await self.note(.keepNote(note, named: name, replacing: former))
  }

  private func note(_ request: LinkRequest) async throws(DeviceAuthenticationError) -> [UInt8]? {
    guard case .note(let note) = try await client.call(request) else { throw .unexpectedAnswer }
    return note
  }

  func delete(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) {
    guard case .done = try await client.call(.deleteKey(key)) else { throw .unexpectedAnswer }
  }

  func counter(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> UInt64? {
    guard case .counter(let value) = try await client.call(.counter(key)) else { throw .unexpectedAnswer }
    return value
  }

  func advanceCounter(
    of key: KeyIdentifier, from value: UInt64
  ) async throws(DeviceAuthenticationError) -> CounterStep? {
    switch try await client.call(.advanceCounter(key, from: value)) {
    case .done: return .raised
    case .counter(let present): return present.map { .differed(present: $0) }
    default: throw .unexpectedAnswer
    }
  }

  private func octets(_ count: Int, _ request: LinkRequest) async throws(DeviceAuthenticationError) -> [UInt8] {
    guard case .octets(let octets) = try await client.call(request), octets.count == count else {
      throw .unexpectedAnswer
    }
    return octets
  }
}

extension DeviceAuthenticationError {
  static let unexpectedAnswer = Self.unavailable(
    reason: "tap-device sent a response to another request: install tap and tap-device from one build")
}
