import DeviceAuthentication
import Octets
import TestSupport
import Testing

@Suite("The prompts of each policy")
struct PolicyTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let policy: CardholderVerificationPolicy
    let state: [DeviceChange]
    let user: SimulatedUser
    let result: Result<VerificationMethod, DeviceAuthenticationError>
    /// The numbers of prompts of the sensor and for the passcode.
    let prompts: [Int]
    let testDescription: String

    init(
      _ policy: CardholderVerificationPolicy, _ state: [DeviceChange], _ user: SimulatedUser, _ name: String,
      _ result: Result<VerificationMethod, DeviceAuthenticationError>, _ prompts: [Int]
    ) {
      self.policy = policy
      self.state = state
      self.user = user
      self.result = result
      self.prompts = prompts
      testDescription = "\(policy), \(state.isEmpty ? "biometrics" : "no biometrics"), \(name)"
    }
  }

  static let none: [DeviceChange] = [.removeAllBiometrics]
  static let notEnrolled = Result<VerificationMethod, DeviceAuthenticationError>.failure(
    .biometricNotEnrolled("enrol a finger or a face on the device, then try again"))

  static let cases: [Case] = [
    Case(.biometricOnly, [], .approve, "approves", .success(.biometric), [1, 0]),
    Case(.biometricOnly, [], .cancel, "cancels", .failure(.cancelled), [1, 0]),
    Case(.biometricOnly, [], .fail, "fails", .failure(.authenticationFailed), [3, 0]),
    Case(.biometricOnly, [], .noBiometrics, "uses no biometrics", .failure(.cancelled), [1, 0]),
    Case(.biometricOnly, [], .wrongThenRight, "wrong, then right", .success(.biometric), [2, 0]),
    Case(.biometricOnly, none, .approve, "approves", notEnrolled, [0, 0]),
    Case(.biometricOnly, none, .cancel, "cancels", notEnrolled, [0, 0]),
    Case(.biometricOnly, none, .fail, "fails", notEnrolled, [0, 0]),
    Case(.biometricOnly, none, .noBiometrics, "uses no biometrics", notEnrolled, [0, 0]),
    Case(.biometricOnly, none, .wrongThenRight, "wrong, then right", notEnrolled, [0, 0]),
    Case(.userPresence, [], .approve, "approves", .success(.biometric), [1, 0]),
    Case(.userPresence, [], .cancel, "cancels", .failure(.cancelled), [1, 0]),
    Case(.userPresence, [], .fail, "fails", .failure(.authenticationFailed), [3, 3]),
    Case(.userPresence, [], .noBiometrics, "uses no biometrics", .success(.passcode), [1, 1]),
    Case(.userPresence, [], .wrongThenRight, "wrong, then right", .success(.biometric), [2, 0]),
    Case(.userPresence, none, .approve, "approves", .success(.passcode), [0, 1]),
    Case(.userPresence, none, .cancel, "cancels", .failure(.cancelled), [0, 1]),
    Case(.userPresence, none, .fail, "fails", .failure(.authenticationFailed), [0, 3]),
    Case(.userPresence, none, .noBiometrics, "uses no biometrics", .success(.passcode), [0, 1]),
    Case(.userPresence, none, .wrongThenRight, "wrong, then right", .success(.passcode), [0, 2]),
  ]

  @Test(arguments: cases)
  func `every policy, enrolment state and user leads to the result of the table`(_ row: Case) async throws {
    let device = device()
    let verifier = try await CardholderVerifier(policy: row.policy, ports: device.ports, clock: ManualClock())
      .enrolled()
    for change in row.state { device.apply(change) }
    device.user = row.user
    #expect(await verifier.result() == row.result)
    #expect([device.promptCount(.biometric), device.promptCount(.passcode)] == row.prompts)
    #expect(device.openPrompt == nil)
  }

  @Test func `the policy decides whether the passcode follows exhausted, locked or failing biometrics`()
    async throws
  {
    let endings: [(BiometricResult, DeviceAuthenticationError)] = [
      (.exhausted, .authenticationFailed), (.fallbackRequested, .authenticationFailed),
      (.lockedOut, .lockedOut(.biometric)),
    ]
    for (ending, error) in endings {
      let sensor = StubSensor { () throws(DeviceAuthenticationError) in ending }
      #expect(try await result(.biometricOnly, sensor) == .failure(error), "\(ending)")
      #expect(try await result(.userPresence, sensor) == .success(.passcode), "\(ending)")
    }
    for error in [DeviceAuthenticationError.busy("another program"), .unavailable(reason: "unplugged")] {
      let prompt = StubSensor { () throws(DeviceAuthenticationError) in throw error }
      #expect(try await result(.biometricOnly, prompt) == .failure(error))
      #expect(try await result(.userPresence, prompt) == .success(.passcode))
    }
  }

  @Test func `the passcode replaces a sensor whose enrolment cannot be read, if the policy accepts it`()
    async throws
  {
    for error in [DeviceAuthenticationError.busy("another program"), .unavailable(reason: "unplugged")] {
      var sensor = StubSensor { () throws(DeviceAuthenticationError) in .matched }
      sensor.state = { () throws(DeviceAuthenticationError) in throw error }
      #expect(try await result(.biometricOnly, sensor) == .failure(error))
      #expect(try await result(.userPresence, sensor) == .success(.passcode))
    }
  }

  @Test func `a device without a sensor verifies by passcode only`() async throws {
    let device = device([.setPasscode], hardware: .init(hasSensor: false))
    let verifier = try await CardholderVerifier(policy: .userPresence, ports: device.ports, clock: ManualClock())
      .enrolled()
    #expect(await verifier.result() == .success(.passcode))
    let biometricOnly = CardholderVerifier(policy: .biometricOnly, ports: device.ports, clock: ManualClock())
    let error = await thrown { () throws(DeviceAuthenticationError) in try await biometricOnly.enrolKey() }
    #expect(error?.kind == "unavailable")
  }

  @Test(arguments: [1, 2, 5])
  func `the limits of attempts are the limits of prompts`(_ limit: Int) async throws {
    let device = device(user: .fail)
    let limits = VerificationLimits(biometricAttempts: limit, passcodeAttempts: limit + 1)
    let verifier = try await CardholderVerifier(
      policy: .userPresence, ports: device.ports, clock: ManualClock(), limits: limits
    ).enrolled()
    #expect(await verifier.result() == .failure(.authenticationFailed))
    #expect([device.promptCount(.biometric), device.promptCount(.passcode)] == [limit, limit + 1])
  }

  @Test(arguments: CardholderVerificationPolicy.allCases)
  func `no prompt is shown when the passcode was removed without a new epoch`(_ policy: CardholderVerificationPolicy)
    async throws
  {
    struct Unlocked: DeviceLock {
      func isSet() async throws(DeviceAuthenticationError) -> Bool { false }
      func epoch() async throws(DeviceAuthenticationError) -> LockEpoch { LockEpoch(rawValue: 0) }
    }
    let device = device()
    let key = ProtectedKeyRecord(identifier: try await device.ports.keys.create(.sealing), enrolmentDigest: [])
    let real = device.ports
    let ports = DevicePorts(biometric: real.biometric, passcode: real.passcode, lock: Unlocked(), keys: real.keys)
    let verifier = CardholderVerifier(policy: policy, ports: ports, key: key, clock: ManualClock())
    #expect(await verifier.result() == .failure(.passcodeNotSet))
    #expect(device.promptCount(.biometric) + device.promptCount(.passcode) == 0)
  }

  private func result(
    _ policy: CardholderVerificationPolicy, _ sensor: StubSensor
  ) async throws -> Result<VerificationMethod, DeviceAuthenticationError> {
    let device = device()
    let key = ProtectedKeyRecord(identifier: try await device.ports.keys.create(.sealing), enrolmentDigest: [])
    let ports = device.ports.with(sensor)
    return await CardholderVerifier(policy: policy, ports: ports, key: key, clock: ManualClock()).result()
  }
}
