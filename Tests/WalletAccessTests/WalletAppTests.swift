import AccessMessages
import TestSupport
import Testing
import WalletAccess

/// The application without a terminal, a server or a clock.
@Suite struct WalletAppTests {
  private static let linked = DeviceStatus(isRegistered: true, isActive: true)
  private static let pin = WalletView(.pin, AllowedActions(linked, isLoggedIn: false), status: linked)
  private static let wallet = WalletView(
    .wallet, AllowedActions(linked, isLoggedIn: true), status: linked, isLoggedIn: true)
  private static let expired = WalletView(
    .pin, AllowedActions(linked, isLoggedIn: false), status: linked, hasExpired: true)

  /// An application that asks for a command.
  private func app(showing view: WalletView) -> WalletApp {
    var app = WalletApp()
    _ = app.receive(.opened)
    _ = app.receive(.viewed(view))
    return app
  }

  @Test func `an application asks the issuer first, and then the user`() {
    var app = WalletApp()
    #expect(app.receive(.opened) == [.check])
    #expect(app.receive(.viewed(Self.pin)) == [.show(Self.pin), .choose])
  }

  @Test func `the contents are shown when the wallet opens, and not again`() {
    var app = app(showing: Self.pin)
    #expect(app.receive(.chosen(.login)) == [.perform])
    #expect(app.receive(.done) == [.check])
    #expect(app.receive(.viewed(Self.wallet)) == [.show(Self.wallet), .showContents, .choose])
    #expect(app.receive(.chosen(.cards)) == [.perform])
    _ = app.receive(.done)
    #expect(app.receive(.viewed(Self.wallet)) == [.show(Self.wallet), .choose])
  }

  @Test(arguments: [AllowedActions.Action.pay, .logout, .enrol])
  func `an action that the screen does not allow is refused`(action: AllowedActions.Action) {
    var app = app(showing: Self.pin)
    #expect(app.receive(.chosen(action)) == [.refuse(action), .choose])
  }

  @Test func `the end of the session stops what is under way, and is announced before the next screen`() {
    var asking = app(showing: Self.wallet)
    #expect(asking.receive(.expired) == [.stop, .check])
    #expect(asking.receive(.viewed(Self.expired)) == [.announceExpiry, .show(Self.expired), .choose])
    var paying = app(showing: Self.wallet)
    _ = paying.receive(.chosen(.pay))
    #expect(paying.receive(.expired) == [.stop, .check])
    #expect(paying.receive(.done) == [])
  }

  @Test func `the background disarms a card, and the foreground asks the issuer again`() {
    var app = app(showing: Self.wallet)
    _ = app.receive(.chosen(.pay))
    #expect(app.receive(.background) == [.stop, .suspend])
    #expect(app.receive(.foreground) == [.check])
  }

  @Test func `another command goes on after the background`() {
    var app = app(showing: Self.wallet)
    _ = app.receive(.chosen(.cards))
    #expect(app.receive(.background) == [.suspend])
    #expect(app.receive(.foreground) == [])
    #expect(app.receive(.done) == [.check])
  }

  @Test func `a process that was stopped without a warning asks again too`() {
    var app = app(showing: Self.wallet)
    #expect(app.receive(.foreground) == [.stop, .check])
  }

  @Test func `nothing follows after the end`() {
    var app = app(showing: Self.pin)
    #expect(app.receive(.closed) == [.close])
    for event in [WalletApp.Event.opened, .expired, .foreground, .chosen(.login), .done] {
      #expect(app.receive(event) == [])
    }
  }

  @Test func `a check without an answer is no Welcome`() {
    var app = WalletApp()
    _ = app.receive(.opened)
    guard case .show(let view)? = app.receive(.failed).first else {
      Issue.record("a screen is needed")
      return
    }
    #expect(view.screen == .unreached && view.status == nil)
  }
}
