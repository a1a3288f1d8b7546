import AccessMessages
import Testing
import WalletAccess

@Suite struct AllowedActionsTests {
  typealias Action = AllowedActions.Action

  struct Row: Sendable, CustomTestStringConvertible {
    let registered: Bool
    let active: Bool
    let loggedIn: Bool
    let allowed: Set<Action>
    var testDescription: String { "registered \(registered), active \(active), logged in \(loggedIn)" }
  }

  static let table = [
    Row(registered: false, active: false, loggedIn: false, allowed: [.enrol, .login, .forgot, .lost]),
    Row(registered: false, active: false, loggedIn: true, allowed: [.enrol, .logout, .lost]),
    Row(registered: false, active: true, loggedIn: false, allowed: [.enrol, .lost]),
    Row(registered: false, active: true, loggedIn: true, allowed: [.enrol, .logout, .lost]),
    Row(registered: true, active: false, loggedIn: false, allowed: [.unlink, .lost]),
    Row(registered: true, active: false, loggedIn: true, allowed: [.logout, .unlink, .lost]),
    Row(registered: true, active: true, loggedIn: false, allowed: [.login, .unlink, .forgot, .biometric, .lost]),
    Row(
      registered: true, active: true, loggedIn: true,
      allowed: [
        .logout, .unlink, .biometric, .lost, .pay, .cards, .replenish, .history, .timeout, .changePIN, .profile,
      ]),
  ]

  @Test(arguments: table) func `a status allows its actions`(row: Row) {
    let status = DeviceStatus(isRegistered: row.registered, isActive: row.active)
    #expect(AllowedActions(status, isLoggedIn: row.loggedIn).actions == row.allowed)
  }

  @Test func `a device that is active and not registered leaves login unchanged`() {
    let unclear = DeviceStatus(isRegistered: false, isActive: true)
    let withLogin = AllowedActions(.unknown, isLoggedIn: false)
    let withoutLogin = AllowedActions(DeviceStatus(isRegistered: true, isActive: false), isLoggedIn: false)
    #expect(AllowedActions(unclear, isLoggedIn: false, former: withLogin).allows(.login))
    #expect(!AllowedActions(unclear, isLoggedIn: false, former: withoutLogin).allows(.login))
    #expect(!AllowedActions(unclear, isLoggedIn: true, former: withLogin).allows(.login))
  }

  @Test func `a former status decides nothing where the present one decides`() {
    let former = AllowedActions(.unknown, isLoggedIn: false)
    let inactive = DeviceStatus(isRegistered: true, isActive: false)
    #expect(!AllowedActions(inactive, isLoggedIn: false, former: former).allows(.login))
  }

  @Test func `a payment without a login is allowed where the issuer allows it`() {
    let status = DeviceStatus(isRegistered: true, isActive: true)
    #expect(AllowedActions(status, isLoggedIn: false, tapWithoutLogin: true).allows(.pay))
    #expect(!AllowedActions(.unknown, isLoggedIn: false, tapWithoutLogin: true).allows(.pay))
  }

  static let screens: [(registered: Bool, active: Bool, pinLogin: Bool, screen: FirstScreen)] = [
    (false, false, true, .welcome), (false, true, false, .welcome), (true, true, true, .pin),
    (true, true, false, .password), (true, false, true, .deactivated),
  ]

  @Test(arguments: screens)
  func `the first screen follows the status and the issuer`(
    registered: Bool, active: Bool, pinLogin: Bool, screen: FirstScreen
  ) {
    let status = DeviceStatus(isRegistered: registered, isActive: active)
    #expect(FirstScreen(status, hasPINLogin: pinLogin) == screen)
  }

  @Test func `preferred biometrics stand before the PIN, and an open session before both`() {
    let status = DeviceStatus(isRegistered: true, isActive: true)
    #expect(FirstScreen(status, hasPINLogin: true, prefersBiometric: true) == .biometric)
    #expect(FirstScreen(status, hasPINLogin: true, prefersBiometric: true, isLoggedIn: true) == .wallet)
  }
}
