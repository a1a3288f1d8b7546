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
    Row(registered: false, active: false, loggedIn: false, allowed: [.enrol, .login]),
    Row(registered: false, active: false, loggedIn: true, allowed: [.enrol, .logout]),
    Row(registered: false, active: true, loggedIn: false, allowed: [.enrol]),
    Row(registered: false, active: true, loggedIn: true, allowed: [.enrol, .logout]),
    Row(registered: true, active: false, loggedIn: false, allowed: [.unlink]),
    Row(registered: true, active: false, loggedIn: true, allowed: [.logout, .unlink]),
    Row(registered: true, active: true, loggedIn: false, allowed: [.login, .unlink]),
    Row(registered: true, active: true, loggedIn: true, allowed: [.logout, .unlink]),
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

  static let screens: [(registered: Bool, pinLogin: Bool, screen: FirstScreen)] = [
    (false, true, .welcome), (false, false, .welcome), (true, true, .pin), (true, false, .password),
  ]

  @Test(arguments: screens)
  func `the first screen follows the status and the issuer`(registered: Bool, pinLogin: Bool, screen: FirstScreen) {
    for isActive in [false, true] {
      let status = DeviceStatus(isRegistered: registered, isActive: isActive)
      #expect(FirstScreen(status, hasPINLogin: pinLogin) == screen)
    }
  }
}
