public import DeviceAuthentication
internal import Octets
internal import POSIX

/// The ports that a server serves.
public struct ServedDevice: Sendable {
  private let ports: DevicePorts
  private let integrity: (any DeviceIntegrity)?
  private let passcode: @Sendable (PromptTerminal?) -> any PasscodeVerifier

  /// Serves ports.
  ///
  /// - Parameters:
  ///   - integrity: The checks of the serving process before each use of a key that makes, opens or signs; nil: none.
  ///   - passcode: Returns the check for a terminal, which is nil when the client passed none; nil for that of `ports`.
  public init(
    _ ports: DevicePorts, integrity: (any DeviceIntegrity)? = nil,
    passcode: (@Sendable (PromptTerminal?) -> any PasscodeVerifier)? = nil
  ) {
    (self.ports, self.integrity) = (ports, integrity)
    self.passcode = passcode ?? { _ in ports.passcode }
  }

  /// Performs a request, and returns the framed answer in locked memory that is wiped. Cancelling the task closes its prompt.
  func frame(answering request: LinkRequest, _ terminal: PromptTerminal?) async -> SharedSecret {
    do throws(DeviceAuthenticationError) {
      try await checkIntegrity(for: request)
      // Without a copy of the bytes in an array.
      guard case .unseal(let key) = request else { return Self.frame(try await reply(to: request, terminal)) }
      return SharedSecret(LinkReply.frame(unsealed: try await ports.keys.unseal(key)))
    } catch { return Self.frame(.failed(error)) }
  }

  /// Counters and the state of the lock can be asked for in the middle of a tap, so nothing is checked for them.
  private func checkIntegrity(for request: LinkRequest) async throws(DeviceAuthenticationError) {
    switch request {
    case .createKey, .unseal, .sign: break
    default: return
    }
    guard let integrity else { return }
    let findings = await blocking { integrity.findings() }
    guard findings.isEmpty else {
      throw .unavailable(reason: "tap-device refuses: " + findings.map(\.description).joined(separator: "; "))
    }
  }

  private static func frame(_ reply: LinkReply) -> SharedSecret {
    SharedSecret(LinkFrames.framed(reply.octets))
  }

  private func reply(
    to request: LinkRequest, _ terminal: PromptTerminal?
  ) async throws(DeviceAuthenticationError) -> LinkReply {
    let (biometric, lock, keys) = (ports.biometric, ports.lock, ports.keys)
    switch request {
    case .enrolment: return .enrolment(try await biometric.enrolment())
    case .verifyBiometric(let prompt, let offers):
      return .biometric(try await biometric.verify(prompt: prompt, offeringPasscode: offers))
    case .verifyPasscode(let prompt): return .passcode(try await passcode(terminal).verify(prompt: prompt))
    case .lockState: return .lockState(try await lock.isSet())
    case .lockEpoch: return .lockEpoch(try await lock.epoch())
    case .createKey(let kind, let counting): return .key(try await keys.create(kind, counting: counting))
    case .listKeys(let key): return .keys(try await listed(after: key))
    case .accessKey(let key): return .access(try await keys.access(key))
    case .unseal: throw .unavailable(reason: "a sealing key is answered in locked memory only")
    case .publicKey(let key): return .octets(try await keys.publicKey(of: key))
    case .sign(let digest, let key): return .octets(try await keys.sign(digest, with: key))
    case .deleteKey(let key): try await keys.delete(key)
    case .counter(let key): return .counter(try await keys.counter(of: key))
    case .advanceCounter(let key, let value): return try await step(of: key, from: value)
    case .note(let name): return .note(try await keys.note(named: name))
    case .keepNote(let note, let name, let former):
      return .note(try await keys.keep(note, named: name, replacing: former))
    case .cancel: return .failed(.cancelled)
    case .status(let key, let needsEnrolment): return .status(try await status(of: key, needsEnrolment))
    }
    return .done
  }

  private func status(
    of key: KeyIdentifier, _ needsEnrolment: Bool
  ) async throws(DeviceAuthenticationError) -> DeviceCondition {
    try await blocking { [monitor = ports.monitor] () throws(DeviceAuthenticationError) in
      try monitor.status(of: key, needsEnrolment: needsEnrolment)
    }
  }

  private func step(of key: KeyIdentifier, from value: UInt64) async throws(DeviceAuthenticationError) -> LinkReply {
    switch try await ports.keys.advanceCounter(of: key, from: value) {
    case .raised: .done
    case .differed(let present): .counter(present)
    case nil: .counter(nil)
    }
  }

  private func listed(after key: KeyIdentifier?) async throws(DeviceAuthenticationError) -> [ListedKey] {
    let rest = try await ports.keys.list().filter { listed in
      key.map { $0.octets.lexicographicallyPrecedes(listed.identifier.octets) } ?? true
    }
    return Array(rest.prefix(LinkReply.keysPerReply))
  }
}
