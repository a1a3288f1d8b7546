import DeviceAuthentication
import Octets
import Testing

@Suite("One verification: its deadline, its session, its end", .timeLimit(.minutes(10)))
struct CardholderVerificationTests {
  let clock = ManualClock(at: Instant(nanoseconds: 1_000_000_000_000))

  private func verifier(
    _ device: SimulatedDevice, _ policy: CardholderVerificationPolicy = .userPresence, sensor: StubSensor? = nil
  ) async throws -> CardholderVerifier {
    let ports = sensor.map { device.ports.with($0) } ?? device.ports
    let verifier = CardholderVerifier(policy: policy, ports: ports, clock: clock)
    try await verifier.enrolKey()
    return verifier
  }

  @Test(arguments: [1, 999_999_999, 60_000_000_000])
  func `The deadline is the instant of recognition and the validity`(_ nanoseconds: Int64) async throws {
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

  @Test func `Time that the person takes does not count against the validity`() async throws {
    let clock = clock
    let sensor = StubSensor { () throws(DeviceAuthenticationError) in
      clock.advance(by: .seconds(20))
      return .matched
    }
    let verification = try await verifier(device(), sensor: sensor).verify(nonce: [1], validity: .seconds(5))
    #expect(verification.verifiedAt == Instant(nanoseconds: 1_020_000_000_000))
    #expect(verification.deadline == Instant(nanoseconds: 1_025_000_000_000))
  }

  @Test func `A validity without end never wraps into the past`() async throws {
    let verification = try await verifier(device()).verify(nonce: [1], validity: .seconds(Int64.max))
    #expect(verification.deadline == Instant(nanoseconds: .max))
  }

  @Test func `The default validity is the published parameter`() async throws {
    let device = device()
    let verification = try await verifier(device).verify(nonce: [1])
    #expect(verification.deadline - verification.verifiedAt == CardholderVerifier.defaultValidity)
    #expect(CardholderVerifier.defaultValidity == .seconds(60))
    #expect(device.lastPrompt == CardholderVerifier.defaultPrompt)
  }

  @Test func `The person reads the prompt that the caller wrote`() async throws {
    for user in [SimulatedUser.approve, .noBiometrics] {
      let device = device(user: user)
      _ = try await verifier(device).verify(nonce: [1], prompt: "Pay 12.34 EUR").redeem(nonce: [1])
      #expect(device.lastPrompt == "Pay 12.34 EUR")
    }
  }

  @Test func `Another session's nonce traps`() async {
    await #expect(processExitsWith: .failure) { try await redeem([1, 2, 3], by: [1, 2, 4]) }
    await #expect(processExitsWith: .failure) { try await redeem([1, 2, 3], by: [1, 2]) }
    await #expect(processExitsWith: .failure) { try await redeem([1, 2, 3], by: []) }
    await #expect(processExitsWith: .success) { try await redeem([1, 2, 3], by: [1, 2, 3]) }
  }

  @Test func `An empty nonce and a validity that is not positive trap`() async {
    await #expect(processExitsWith: .failure) { try await redeem([], by: []) }
    await #expect(processExitsWith: .failure) { try await redeem([1], by: [1], validity: .zero) }
    await #expect(processExitsWith: .failure) { _ = VerificationLimits(biometricTries: 0) }
    await #expect(processExitsWith: .failure) { _ = VerificationLimits(passcodeTries: 0) }
    await #expect(processExitsWith: .failure) { _ = VerificationLimits(promptDuration: .zero) }
  }

  @Test(arguments: [[DeviceChange.enrolBiometric], []])
  func `Cancelling the task that waits takes the prompt away`(_ biometrics: [DeviceChange]) async throws {
    let device = device([.setPasscode] + biometrics, user: .neverAnswers)
    let verifier = try await verifier(device)
    let task = Task { await verifier.result() }
    await until { device.openPrompt != nil && clock.sleeperCount == 1 }
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
    #expect(device.openPrompt == nil)
    #expect(clock.sleeperCount == 0)
    device.user = .approve
    #expect(await verifier.result().failure == nil, "the next verification is free to go")
  }

  @Test func `A task that is cancelled from the start shows no sensor act and gives no verification`() async throws {
    let device = device()
    let verifier = try await verifier(device)
    let task = Task {
      await until { Task.isCancelled }
      return await verifier.result()
    }
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
  }

  @Test func `A match that comes after the cancellation arms nothing`() async throws {
    let asked = Mailbox()
    let sensor = StubSensor { () throws(DeviceAuthenticationError) in
      asked.put()
      await until { Task.isCancelled }
      return .matched
    }
    let verifier = try await verifier(device(), sensor: sensor)
    let task = Task { await verifier.result() }
    await until { asked.isFull }
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
  }

  @Test func `A prompt that nobody answers ends at its limit and not before`() async throws {
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
    #expect(device.promptCount(.passcode) == 0, "somebody who is not there is not asked again")
  }

  @Test func `A second verification while one is open is busy under one policy and never mixes prompts`() async throws {
    let device = device(user: .neverAnswers)
    let verifier = try await verifier(device, .biometricOnly)
    let first = Task { await verifier.result() }
    await until { device.openPrompt != nil }
    #expect(await verifier.result().failure?.kind == "busy")
    first.cancel()
    #expect(await first.value == .failure(.cancelled))
  }

  @Test func `Without a key nobody is asked`() async {
    let device = device()
    let verifier = CardholderVerifier(policy: .userPresence, ports: device.ports, clock: clock)
    #expect(await verifier.result() == .failure(.authenticationKeyMissing))
    #expect(device.promptCount(.biometric) == 0)
  }
}

private func redeem(_ own: [UInt8], by other: [UInt8], validity: Duration = .seconds(1)) async throws {
  let device = device()
  let verifier = CardholderVerifier(policy: .biometricOnly, ports: device.ports, clock: ManualClock())
  try await verifier.enrolKey()
  _ = try await verifier.verify(nonce: own, validity: validity).redeem(nonce: other)
}
