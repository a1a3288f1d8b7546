public import DeviceAuthentication
internal import Octets
internal import POSIX

/// The ports that a server serves.
public struct ServedDevice: Sendable {
  let biometric: any BiometricVerifier
  let passcode: @Sendable (PromptTerminal?) -> any PasscodeVerifier
  let lock: any DeviceLock
  let keys: any ProtectedKeyStore
  private let integrity: (any DeviceIntegrity)?

  /// Serves ports.
  public init(_ ports: DevicePorts) { self.init(ports) { _ in ports.passcode } }

  /// Serves ports, with a passcode check on the terminal of the client.
  ///
  /// - Parameters:
  ///   - integrity: The checks of the serving process before each use of a key that makes, opens or signs; nil: none.
  ///   - passcode: Returns the check for a terminal; nil when the client passed none.
  public init(
    _ ports: DevicePorts, integrity: (any DeviceIntegrity)? = nil,
    passcode: @escaping @Sendable (PromptTerminal?) -> any PasscodeVerifier
  ) {
    self.integrity = integrity
    biometric = ports.biometric
    self.passcode = passcode
    lock = ports.lock
    keys = ports.keys
  }

  /// Performs a request, and returns the framed answer in locked memory that is wiped. Cancelling the task closes its prompt.
  func frame(answering request: LinkRequest, _ terminal: PromptTerminal?) async -> SharedSecret {
    do throws(DeviceAuthenticationError) {
      try await checkIntegrity(for: request)
      guard case .unseal(let key) = request else { return Self.frame(await answer(request, terminal)) }
      return SharedSecret(LinkReply.frame(unsealed: try await keys.unseal(key)))
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

  /// Performs a request. Cancelling the task closes its prompt.
  func answer(_ request: LinkRequest, _ terminal: PromptTerminal?) async -> LinkReply {
    do throws(DeviceAuthenticationError) {
      return try await result(of: request, terminal)
    } catch { return .failed(error) }
  }

  private func result(
    of request: LinkRequest, _ terminal: PromptTerminal?
  ) async throws(DeviceAuthenticationError) -> LinkReply {
    switch request {
    case .enrolment: .enrolment(try await biometric.enrolment())
    case .verifyBiometric(let prompt, let offers):
      .biometric(try await biometric.verify(prompt: prompt, offeringPasscode: offers))
    case .verifyPasscode(let prompt): .passcode(try await passcode(terminal).verify(prompt: prompt))
    case .lockState: .lockState(try await lock.isSet())
    case .lockEpoch: .lockEpoch(try await lock.epoch())
    case .createKey(let kind, let counting): .key(try await keys.create(kind, counting: counting))
    case .listKeys(let key): .keys(try await listed(after: key))
    case .accessKey(let key): .access(try await keys.access(key))
    // `frame` answers it without a copy of the bytes in an array.
    case .unseal: throw .unavailable(reason: "a sealing key is answered in locked memory only")
    case .publicKey(let key): .octets(try await keys.publicKey(of: key))
    case .sign(let digest, let key): .octets(try await keys.sign(digest, with: key))
    case .deleteKey(let key): try await deleted(key)
    case .counter(let key): .counter(try await keys.counter(of: key))
    case .advanceCounter(let key, let value): try await step(of: key, from: value)
    case .cancel: .failed(.cancelled)
    case .watchKey(let key): try await lost(key)
    }
  }

  private func lost(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> LinkReply {
    try await keys.waitForLoss(of: key)
    return .done
  }

  private func step(of key: KeyIdentifier, from value: UInt64) async throws(DeviceAuthenticationError) -> LinkReply {
    switch try await keys.advanceCounter(of: key, from: value) {
    case .raised: .done
    case .differed(let present): .counter(present)
    case nil: .counter(nil)
    }
  }

  private func listed(after key: KeyIdentifier?) async throws(DeviceAuthenticationError) -> [ListedKey] {
    let rest = try await keys.list().filter { listed in
      key.map { $0.octets.lexicographicallyPrecedes(listed.identifier.octets) } ?? true
    }
    return Array(rest.prefix(LinkReply.keysPerReply))
  }

  private func deleted(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> LinkReply {
    try await keys.delete(key)
    return .done
  }
}
