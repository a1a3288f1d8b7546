import DeviceAuthentication
import TestSupport
import Testing

@testable import LinuxDevice

@Suite("One prompt of a fingerprint reader")
struct FingerprintVerificationTests {
  typealias Event = FingerprintVerification.Event

  private static let fault = BusError(name: "fault", message: "a fault")

  /// Every event, with a name for the tables.
  private static let events: [(name: String, event: Event)] = [
    ("device", .device("/reader")), ("fingers", .fingers(["right", "left"])), ("no fingers", .fingers([])),
    ("done", .done), ("failed", .failed(fault)), ("selected", .selected("right")), ("any", .selected("any")),
    ("match", .status(.match, isLast: true)), ("no match", .status(.noMatch, isLast: true)),
    ("retry", .status(.retry, isLast: false)), ("last retry", .status(.retry, isLast: true)),
    ("unplugged", .status(.disconnected, isLast: true)), ("fault", .status(.failed, isLast: true)),
    ("first fault", .status(.failed, isLast: false)), ("lost", .lost(fault)), ("cancel", .cancelled),
    ("grace", .graceEnded),
  ]

  private static let always = ["lost": "end error", "grace": "end cancelled"]
  private static let results = [
    "match": "stop", "no match": "stop", "last retry": "stop", "unplugged": "stop", "fault": "stop",
  ]

  /// Each state with the events that lead to it, and the actions of the events that do not only wait there.
  private static let table: [(state: String, path: [String], actions: [String: String])] = [
    ("finding", [], ["device": "list", "failed": "end error", "cancel": "end cancelled"]),
    (
      "listing", ["device"],
      ["fingers": "claim", "no fingers": "end not enrolled", "failed": "end error", "cancel": "end cancelled"]
    ),
    ("claiming", ["device", "fingers"], ["done": "start any", "failed": "end error"]),
    (
      "claiming, cancelled", ["device", "fingers", "cancel"],
      ["done": "release", "failed": "end cancelled", "lost": "end cancelled"]
    ),
    (
      "starting", ["device", "fingers", "done"],
      results.merging(["failed": "release"]) { $1 }
    ),
    (
      "starting, cancelled", ["device", "fingers", "done", "cancel"],
      ["done": "stop", "failed": "release", "lost": "end cancelled"]
    ),
    ("verifying", ["device", "fingers", "done", "done"], results.merging(["cancel": "stop"]) { $1 }),
    (
      "next finger", ["device", "fingers", "done", "selected", "done", "no match"],
      ["done": "start left", "failed": "release"]
    ),
    (
      "next finger, cancelled", ["device", "fingers", "done", "selected", "done", "no match", "cancel"],
      ["done": "release", "failed": "release", "lost": "end cancelled"]
    ),
    ("same finger", ["device", "fingers", "done", "done", "last retry"], ["done": "start any", "failed": "release"]),
    ("matched", ["device", "fingers", "done", "done", "match"], ["done": "release", "failed": "release"]),
    (
      "releasing", ["device", "fingers", "done", "done", "match", "done"],
      ["done": "end matched", "failed": "end matched"]
    ),
    (
      "releasing, cancelled", ["device", "fingers", "done", "done", "cancel", "done"],
      ["done": "end cancelled", "failed": "end cancelled", "lost": "end cancelled"]
    ),
  ]

  private static func machine(after path: [String]) -> FingerprintVerification {
    var machine = FingerprintVerification(user: "cardholder")
    for name in path {
      for (_, event) in events.filter({ $0.name == name }) { _ = machine.receive(event) }
    }
    return machine
  }

  private static func words(_ action: FingerprintVerification.Action) -> String {
    switch action {
    case .wait: "wait"
    case .call(.defaultDevice): "find"
    case .call(.enrolledFingers("/reader", "cardholder")): "list"
    case .call(.claim("/reader", "cardholder")): "claim"
    case .call(.startVerification("/reader", let finger)): "start \(finger)"
    case .call(.stopVerification("/reader")): "stop"
    case .call(.release("/reader")): "release"
    case .call(let call): "\(call)"
    case .end(.success(let result)): "end \(result)"
    case .end(.failure(.biometricNotEnrolled)): "end not enrolled"
    case .end(.failure): "end error"
    }
  }

  @Test(arguments: table.indices) func `every event in every state has its action`(_ row: Int) {
    let (state, path, actions) = Self.table[row]
    for (name, event) in Self.events {
      var machine = Self.machine(after: path)
      let expected = actions[name] ?? Self.always[name] ?? "wait"
      #expect(Self.words(machine.receive(event)) == expected, "\(name) while \(state)")
    }
  }

  @Test func `an ended prompt keeps its result`() {
    var machine = Self.machine(after: ["device", "fingers", "done", "done", "match", "done", "done"])
    for (name, event) in Self.events { #expect(Self.words(machine.receive(event)) == "end matched", "\(name)") }
  }

  /// The events after `VerifyStart`, and the result when every call succeeds.
  private static let outcomes: [([String], String)] = [
    (["match"], "end matched"), (["no match"], "end notMatched"), (["any", "no match"], "end notMatched"),
    (["selected", "no match", "done", "done", "match"], "end matched"),
    (["selected", "no match", "done", "done", "no match"], "end notMatched"),
    (["retry", "retry", "match"], "end matched"), (["last retry", "done", "done", "match"], "end matched"),
    (["unplugged"], "end error"), (["fault"], "end error"), (["cancel", "match"], "end cancelled"),
    (["cancel", "no match"], "end cancelled"), (["match", "cancel"], "end cancelled"),
  ]

  @Test(arguments: outcomes) func `a prompt ends with the result of the sensor`(_ path: [String], _ result: String) {
    var machine = Self.machine(after: ["device", "fingers", "done", "done"] + path)
    #expect(Self.words(machine.receive(.done)) == "release")
    #expect(Self.words(machine.receive(.done)) == result)
  }

  private static let errors = [
    ("net.reactivated.Fprint.Error.NoEnrolledPrints", "biometricNotEnrolled"),
    ("net.reactivated.Fprint.Error.AlreadyInUse", "busy"), ("net.reactivated.Fprint.Error.ClaimDevice", "busy"),
    ("net.reactivated.Fprint.Error.NoSuchDevice", "unavailable"),
    ("net.reactivated.Fprint.Error.PermissionDenied", "unavailable"),
    ("net.reactivated.Fprint.Error.Internal", "unavailable"),
    ("org.freedesktop.DBus.Error.AccessDenied", "unavailable"),
    ("org.freedesktop.DBus.Error.ServiceUnknown", "unavailable"), ("org.freedesktop.DBus.Error.NoReply", "unavailable"),
    ("", "unavailable"),
  ]

  @Test(arguments: errors) func `an error of the bus is an error of the port`(_ name: String, _ kind: String) {
    #expect(BusError(name: name, message: "a sentence").deviceError.kind == kind)
  }

  private static let texts: [(String, Fprint.Status)] = [
    ("verify-match", .match), ("verify-no-match", .noMatch), ("verify-retry-scan", .retry),
    ("verify-swipe-too-short", .retry), ("verify-finger-not-centered", .retry), ("verify-remove-and-retry", .retry),
    ("verify-disconnected", .disconnected), ("verify-unknown-error", .failed), ("Verify-Match", .failed), ("", .failed),
  ]

  @Test(arguments: texts) func `a result has the meaning that fprintd documents`(
    _ text: String, _ status: Fprint.Status
  ) {
    #expect(Fprint.Status(text) == status)
  }

  @Test func `only a result of fprintd for the reader of the prompt counts`() {
    func event(
      sender: String = ":1.2", path: String = "/reader", interface: String = Fprint.deviceInterface,
      member: String = "VerifyStatus", _ values: [BusValue] = [.text("verify-match"), .flag(true)]
    ) -> Event? {
      let kind = BusMessage.Kind.signal(interface: interface, member: member)
      let message = BusMessage(kind: kind, sender: sender, path: path, values: values)
      return FingerprintSession.event(ofSignal: message, from: ":1.2", "/reader")
    }
    #expect(event() == .status(.match, isLast: true))
    #expect(event(member: "VerifyFingerSelected", [.text("left")]) == .selected("left"))
    #expect(event(path: "/other") == nil)
    #expect(event(sender: ":1.3") == nil)
    #expect(event(interface: "net.reactivated.Fprint.Manager") == nil)
    #expect(event(member: "EnrollStatus") == nil)
    for values: [BusValue] in [[], [.text("verify-match")], [.flag(true), .text("verify-match")], [.texts([])]] {
      #expect(event(values) == nil)
    }
  }
}
