import AccessMessages
import MobileAuthentication
import Octets
import TestSupport
import Testing
import WalletAccess

@Suite struct SessionTimeTests {
  let stage: WalletStage

  init() throws { stage = try WalletStage() }

  private func coordinator() throws -> AuthenticationCoordinator { AuthenticationCoordinator(try stage.wallet()) }

  /// Waits until the watch sleeps.
  private func untilSleeping() async { while stage.clock.sleeperCount == 0 { await Task.yield() } }

  @Test func `the library logs out by itself at the user's limit`() async throws {
    try await stage.logIn()
    try await coordinator().setInactivityLimit(seconds: 120)
    async let ended = coordinator().watchInactivity()
    await untilSleeping()
    stage.clock.advance(by: .seconds(119))
    #expect(stage.requests("DELETE /wallet/v1/sessions/current").isEmpty)
    stage.clock.advance(by: .seconds(1))
    #expect(try await ended == LogoutResult(serverInformed: true))
    #expect(stage.requests("DELETE /wallet/v1/sessions/current").count == 1)
    #expect(try await stage.record()?.session == nil)
  }

  static let limits: [(user: Int?, seconds: Int)] = [(nil, 600), (120, 120), (900, 600)]

  @Test(arguments: limits)
  func `the shorter of both limits ends the session`(user: Int?, seconds: Int) async throws {
    try await stage.logIn()
    try await coordinator().setInactivityLimit(seconds: user)
    stage.clock.advance(by: .seconds(seconds - 1))
    #expect(try await DeviceCoordinator(stage.wallet()).isLoggedIn())
    stage.clock.advance(by: .seconds(1))
    #expect(try await !DeviceCoordinator(stage.wallet()).isLoggedIn())
    #expect(stage.requests("DELETE /wallet/v1/sessions/current").count == 1)
  }

  @Test func `activity restarts the time, also for a watch that sleeps`() async throws {
    try await stage.logIn()
    async let ended = coordinator().watchInactivity()
    await untilSleeping()
    stage.clock.advance(by: .seconds(500))
    try await coordinator().recordActivity()
    stage.clock.advance(by: .seconds(100))
    await untilSleeping()
    #expect(try await stage.record()?.session != nil)
    stage.clock.advance(by: .seconds(500))
    #expect(try await ended == LogoutResult(serverInformed: true))
  }

  @Test func `an operation after the limit ends with sessionExpired once`() async throws {
    try await stage.logIn()
    stage.clock.advance(by: .seconds(600))
    await #expect(throws: WalletAccessError.sessionExpired) { try await coordinator().recordActivity() }
    await #expect(throws: WalletAccessError.notLoggedIn) { try await coordinator().recordActivity() }
    #expect(stage.requests("DELETE /wallet/v1/sessions/current").count == 1)
  }

  @Test func `an operation after a check of an expired session ends with sessionExpired, once`() async throws {
    try await stage.logIn()
    stage.clock.advance(by: .seconds(600))
    #expect(try await !DeviceCoordinator(stage.wallet()).isLoggedIn())
    await #expect(throws: WalletAccessError.sessionExpired) { try await coordinator().recordActivity() }
    await #expect(throws: WalletAccessError.notLoggedIn) { try await coordinator().recordActivity() }
    try await stage.logIn()
    try await coordinator().recordActivity()
  }

  @Test func `a watch without a session ends at once`() async throws {
    #expect(try await coordinator().watchInactivity() == nil)
  }

  @Test func `a watch ends when its task is cancelled and keeps the session`() async throws {
    try await stage.logIn()
    let watch = Task { try await coordinator().watchInactivity() }
    await untilSleeping()
    watch.cancel()
    await #expect(throws: WalletAccessError.cancelled) { _ = try await watch.value }
    #expect(try await stage.record()?.session != nil)
  }
}
