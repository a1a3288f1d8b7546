import Documents
import FIDOUAF
import JSON
import MobileAuthentication
import Octets
import ProgramSupport

extension Authenticator {
  /// Prints the authenticator with its registrations at a server; at all servers for nil.
  func show(at server: String?, _ output: EventOutput) {
    let shown = registrations.filter { server == nil || $0.account.server == server }
    output.event(
      "authenticator",
      [
        ("authenticator", JSONValue(AuthenticatorChoice(kind).rawValue)), ("kind", JSONValue(kind.rawValue)),
        ("aaid", aaid.json), ("supported", JSONValue(isSupportedByHardware)), ("enrolled", JSONValue(isEnrolled)),
        ("canAuthenticate", JSONValue(canAuthenticate)), ("registrations", JSONValue(shown.map(\.json))),
      ], text: "\(kind.rawValue) \(aaid): \(words(shown))")
  }

  private func words(_ shown: [Registration]) -> String {
    guard isSupportedByHardware else { return "not on this device" }
    guard isEnrolled || kind.secretKind != nil else { return "not set up on this device" }
    guard !shown.isEmpty else { return "not registered" }
    if canAuthenticate { return "can authenticate now" }
    return shown.compactMap(\.obstacle).first ?? "the device is not ready: see tap device check"
  }
}

extension Authenticator.Registration {
  /// Why the registration does not authenticate now; nil when its own state allows it.
  fileprivate var obstacle: String? {
    if protection == .lockedOut { return "locked for good: deregister or forget it, and register again" }
    if isKeyLost { return "its key is lost: register it again" }
    if let seconds = protection?.coolDown.wholeSeconds, seconds > 0 {
      return "entries are ignored for \(seconds.counted("second"))"
    }
    return isPolicyCompliant == false ? "the server did not accept it at the last authentication" : nil
  }

  fileprivate var json: JSONValue {
    JSONValue(members: [
      ("account", JSONValue(account.username)), ("server", JSONValue(account.server)),
      ("protection", protection.map { JSONValue($0.words.state) }),
      ("coolDownSeconds", protection.map { JSONValue($0.coolDown.wholeSeconds) }),
      ("keyLost", JSONValue(isKeyLost)), ("policyCompliant", isPolicyCompliant.map { JSONValue($0) }),
      ("invalidatedByNewBiometrics", JSONValue(isInvalidatedByNewBiometrics)),
      ("acceptsPasscode", JSONValue(acceptsPasscode)),
    ])
  }
}

extension ProtectionStatus {
  /// The state by its name, the wrong entries that are left before it locks, and the rest of a cool-down.
  var words: (state: String, retries: Int?, coolDown: Duration) {
    switch self {
    case .unlocked: ("unlocked", nil, .zero)
    case .lastAttemptFailed(let retries, let coolDown): ("lastAttemptFailed", retries, coolDown)
    case .lockedOut: ("lockedOut", 0, .zero)
    }
  }
}
