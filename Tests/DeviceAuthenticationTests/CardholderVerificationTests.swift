import DeviceAuthentication
import Octets
import TestSupport
import Testing

@Suite("A cardholder verification", .timeLimit(.minutes(20)))
struct CardholderVerificationTests {
  let clock = ManualClock(at: Instant(nanoseconds: 1_000_000_000_000))

  private func verifier(
    _ device: SimulatedDevice, _ policy: CardholderVerificationPolicy = .userPresence, sensor: StubSensor? = nil
  ) async throws -> CardholderVerifier {
    let ports = sensor.map { device.ports.with($0) } ?? device.ports
    let verifier = try await CardholderVerifier(policy: policy, ports: ports, clock: clock).enrolled()
    return verifier
  }

  @Test(arguments: [1, 999_999_999, 60_000_000_000])
  func `the deadline is the instant of recognition plus the validity`(_ nanoseconds: Int64) async throws {
    let verifier = try await verifier(device())
    let verification = try await verifier.verify(nonce: [1], validity: .nanoseconds(nanoseconds))
    let verifiedAt = clock.now
    #expect(verification.method == .biometric)
    #expect(verification.verifiedAt == verifiedAt)
    #expect(verification.deadline.nanoseconds == 1_000_000_000_000 + nanoseconds)
    let cardholder = verification.redeem(nonce: [1])
    #expect(cardholder.verifiedAt == verifiedAt)
    #expect(cardholder.isValid(at: cardholder.verifiedAt))
    #expect(cardholder.isValid(at: cardholder.deadline))
    #expect(!cardholder.isValid(at: cardholder.deadline + .nanoseconds(1)))
  }

  @Test func `the time of the prompt does not reduce the validity`() async throws {
    let clock = clock
    let sensor = StubSensor { () throws(DeviceAuthenticationError) in
      clock.advance(by: .seconds(20))
      return .matched
    }
    let verification = try await verifier(device(), sensor: sensor).verify(nonce: [1], validity: .seconds(5))
    #expect(verification.verifiedAt == Instant(nanoseconds: 1_020_000_000_000))
    #expect(verification.deadline == Instant(nanoseconds: 1_025_000_000_000))
  }

  @Test func `the longest validity does not overflow`() async throws {
    let verification = try await verifier(device()).verify(nonce: [1], validity: .seconds(Int64.max))
    #expect(verification.deadline == Instant(nanoseconds: .max))
  }

  @Test func `the default validity is 60 s`() async throws {
    let device = device()
    let verification = try await verifier(device).verify(nonce: [1])
    #expect(verification.deadline - verification.verifiedAt == CardholderVerifier.defaultValidity)
    #expect(CardholderVerifier.defaultValidity == .seconds(60))
    #expect(device.lastPrompt == CardholderVerifier.defaultPrompt)
  }

  @Test func `the prompt shows the text of the caller`() async throws {
    for user in [SimulatedUser.approve, .noBiometrics] {
      let device = device(user: user)
      _ = try await verifier(device).verify(nonce: [1], prompt: "Pay 12.34 EUR").redeem(nonce: [1])
      #expect(device.lastPrompt == "Pay 12.34 EUR")
    }
  }

  @Test(arguments: ["", " ", "\n\t"])
  func `a prompt without a text is not shown`(_ prompt: String) async throws {
    let device = device()
    let verifier = try await verifier(device)
    let error = await thrown { () throws(DeviceAuthenticationError) in
      try await verifier.verify(nonce: [1], prompt: prompt).method
    }
    #expect(error?.kind == "unavailable")
    #expect(device.promptCount(.biometric) == 0)
  }

  @Test func `the nonce of another session traps`() async {
    await #expect(processExitsWith: .failure) { try await redeem([1, 2, 3], by: [1, 2, 4]) }
    await #expect(processExitsWith: .failure) { try await redeem([1, 2, 3], by: [1, 2]) }
    await #expect(processExitsWith: .failure) { try await redeem([1, 2, 3], by: []) }
    await #expect(processExitsWith: .success) { try await redeem([1, 2, 3], by: [1, 2, 3]) }
  }

  @Test func `an empty nonce and a validity that is not positive trap`() async {
    await #expect(processExitsWith: .failure) { try await redeem([], by: []) }
    await #expect(processExitsWith: .failure) { try await redeem([1], by: [1], validity: .zero) }
    await #expect(processExitsWith: .failure) { _ = VerificationLimits(biometricAttempts: 0) }
    await #expect(processExitsWith: .failure) { _ = VerificationLimits(passcodeAttempts: 0) }
    await #expect(processExitsWith: .failure) { _ = VerificationLimits(promptDuration: .zero) }
  }

  @Test(arguments: [[DeviceChange.enrolBiometric], []])
  func `cancelling the task closes the prompt`(_ biometrics: [DeviceChange]) async throws {
    let device = device([.setPasscode] + biometrics, user: .neverAnswers)
    let verifier = try await verifier(device)
    let task = Task { await verifier.result() }
    await until { device.openPrompt != nil && clock.sleeperCount == 1 }
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
    #expect(device.openPrompt == nil)
    #expect(clock.sleeperCount == 0)
    device.user = .approve
    #expect(await verifier.result().failure == nil, "the next verification succeeds")
  }

  @Test func `a task that was cancelled before the call yields no verification`() async throws {
    let device = device()
    let verifier = try await verifier(device)
    let task = Task {
      await until { Task.isCancelled }
      return await verifier.result()
    }
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
  }

  @Test func `a match after the cancellation yields no verification`() async throws {
    let asked = Flag()
    let sensor = StubSensor { () throws(DeviceAuthenticationError) in
      asked.raise()
      await until { Task.isCancelled }
      return .matched
    }
    let verifier = try await verifier(device(), sensor: sensor)
    let task = Task { await verifier.result() }
    await until { asked.isRaised }
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
  }

  @Test func `an unanswered prompt ends at its limit and not before`() async throws {
    let device = device(user: .neverAnswers)
    let verifier = try await verifier(device)
    let task = Task { await verifier.result() }
    await until { device.openPrompt != nil && clock.sleeperCount == 1 }
    clock.advance(by: .seconds(60) - .nanoseconds(1))
    for _ in 0..<100 { await Task.yield() }
    #expect(device.openPrompt == .biometric)
    clock.advance(by: .nanoseconds(1))
    #expect(await task.value == .failure(.timedOut(limit: .seconds(60))))
    #expect(device.openPrompt == nil)
    #expect(device.promptCount(.passcode) == 0, "no second prompt is shown to an absent person")
  }

  @Test func `a second verification during an open prompt is busy`() async throws {
    let device = device(user: .neverAnswers)
    let verifier = try await verifier(device, .biometricOnly)
    let first = Task { await verifier.result() }
    await until { device.openPrompt != nil }
    #expect(await verifier.result().failure?.kind == "busy")
    first.cancel()
    #expect(await first.value == .failure(.cancelled))
  }

  @Test func `no prompt is shown without a key`() async {
    let device = device()
    let verifier = CardholderVerifier(policy: .userPresence, ports: device.ports, clock: clock)
    #expect(await verifier.result() == .failure(.authenticationKeyMissing))
    #expect(device.promptCount(.biometric) == 0)
  }
}

private func redeem(_ own: [UInt8], by other: [UInt8], validity: Duration = .seconds(1)) async throws {
  let device = device()
  let verifier = try await CardholderVerifier(policy: .biometricOnly, ports: device.ports, clock: ManualClock())
    .enrolled()
  _ = try await verifier.verify(nonce: own, validity: validity).redeem(nonce: other)
}
