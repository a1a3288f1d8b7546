import DeviceAuthentication
import JSON
import TestSupport
import Testing

/// The authenticators that `tap-wallet accounts` lists, without the network.
@Suite(.blocks, .timeLimit(.minutes(20))) struct AuthenticatorListTests {
  private static func authenticators(_ programs: AccessPrograms) throws -> [String: JSONValue] {
    let run = try programs.run("accounts")
    #expect(run.code == 0, "\(run.text)")
    let listed = run.events.filter { $0["event"]?.text == "authenticator" }
    return Dictionary(uniqueKeysWithValues: listed.compactMap { event in event["kind"]?.text.map { ($0, event) } })
  }

  private static func pin(_ programs: AccessPrograms) throws -> (canAuthenticate: Bool?, registration: JSONValue?) {
    let pin = try #require(try authenticators(programs)["pin"])
    return (pin["canAuthenticate"]?.flag, pin["registrations"]?.list?.first)
  }

  @Test func `a new device lists all authenticators that it can have, and none can authenticate`() throws {
    let programs = try AccessPrograms()
    let all = try Self.authenticators(programs)
    #expect(Set(all.keys) == ["pin", "finger", "face", "passcode", "password"])
    #expect(all.values.allSatisfy { $0["canAuthenticate"]?.flag == false && $0["registrations"]?.list == [] })
    let states = ["pin", "finger", "face", "passcode"].map { kind in
      [all[kind]?["supported"]?.flag, all[kind]?["enrolled"]?.flag]
    }
    #expect(states == [[true, false], [true, true], [false, false], [true, true]])
    #expect(all["pin"]?["aaid"]?.text == "F1D0#1001")
  }

  @Test func `a registered PIN can authenticate, except in a cool-down and when it is locked`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    var pin = try Self.pin(programs)
    #expect(pin.canAuthenticate == true)
    #expect(pin.registration?["account"]?.text == "alice" && pin.registration?["policyCompliant"] == nil)
    #expect(try programs.run("authenticate", answers: ["pin": ["123456"]]).code == 0)
    #expect(try Self.pin(programs).registration?["policyCompliant"]?.flag == true)

    _ = try programs.run("authenticate", answers: ["pin": ["000000", "000001", "000002"]])
    pin = try Self.pin(programs)
    #expect(pin.canAuthenticate == false && pin.registration?["protection"]?.text == "lastAttemptFailed")
    #expect((1...60).contains(pin.registration?["coolDownSeconds"]?.integer ?? 0))
    try programs.advance(seconds: 60)
    #expect(try Self.pin(programs).canAuthenticate == true)
    _ = try programs.run("authenticate", answers: ["pin": ["000003"]])
    try programs.advance(seconds: 180)
    #expect(try programs.run("authenticate", answers: ["pin": ["000004"]]).errorCode == "USER_LOCKOUT")
    pin = try Self.pin(programs)
    #expect(pin.canAuthenticate == false && pin.registration?["protection"]?.text == "lockedOut")
    #expect(pin.registration?["keyLost"]?.flag == true)
  }

  @Test func `a new finger ends a registration that is bound to the enrolled ones`() throws {
    let programs = try AccessPrograms()
    for (account, options) in [("alice", []), ("bob", ["--keep-on-new-biometrics", "--allow-passcode"])] {
      let run = try WalletOutput(
        programs.start(
          ["register", "--account", account, "--authenticator", "biometric", "--name", "Phone of \(account)"] + options,
          isFirst: true))
      try #require(run.code == 0, "\(run.text)")
    }
    try StoredDevice(path: programs.state + "/device").apply([.enrolBiometric])
    let finger = try #require(try Self.authenticators(programs)["finger"])
    let registrations = finger["registrations"]?.list ?? []
    #expect(registrations.map { $0["keyLost"]?.flag } == [true, false])
    #expect(registrations.map { $0["invalidatedByNewBiometrics"]?.flag } == [true, false])
    #expect(registrations.map { $0["acceptsPasscode"]?.flag } == [false, true])
    #expect(finger["canAuthenticate"]?.flag == true)
  }

  @Test func `a removed lock ends every registration, and the text states the remedy`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    let text = try programs.start(["accounts"], format: "text")
    #expect(try text.finish() == .exited(0))
    #expect(text.output.contains("pin F1D0#1001: can authenticate now\n"), "\(text.output)")
    #expect(text.output.contains("face F1D0#1003: not on this device\n"), "\(text.output)")
    try StoredDevice(path: programs.state + "/device").apply([.disableLockScreen, .setPasscode])
    let pin = try Self.pin(programs)
    #expect(pin.canAuthenticate == false && pin.registration?["keyLost"]?.flag == true)
    let lost = try programs.start(["accounts"], format: "text")
    #expect(try lost.finish() == .exited(0))
    #expect(lost.output.contains("pin F1D0#1001: its key is lost: register it again\n"), "\(lost.output)")
  }
}
