import Foundation
import SimulationRules
import Testing

@Suite("Rules of a simulation")
struct SimulationRulesTests {
  /// A GPO response in format 2 with a counter and a cryptogram, as a card sends it.
  private static func response(_ counter: UInt8, _ cryptogram: UInt8 = 0xAA) -> [UInt8] {
    let objects: [UInt8] =
      [0x82, 0x02, 0x00, 0x40, 0x9F, 0x36, 0x02, 0x00, counter, 0x9F, 0x26, 0x08]
      + [UInt8](repeating: cryptogram, count: 8)
    return [0x77, UInt8(objects.count)] + objects + [0x90, 0x00]
  }

  private static func answer(
    _ counter: UInt8, _ cryptogram: UInt8 = 0xAA, card: Int = 0, phone: Int = 0, verification: Int? = 1
  ) -> SimulatedFact {
    .answered(
      card: card, phone: phone, verification: verification, till: 0, command: [],
      response: response(counter, cryptogram))
  }

  private static let verified = SimulatedFact.verified(phone: 0, verification: 1)
  private static let approval = SimulatedFact.approved(card: 0, counter: 1, amount: 100)

  /// An exchange of phone 0 with a server.
  private static func exchange(
    _ path: String, _ status: Int = 200, signedFor audience: String? = "https://a", id: String = "1", sent: Int = 1,
    token: String? = nil, method: String = "POST", body: String = "", response: String = "", phone: Int? = 0
  ) -> SimulatedFact {
    let payload = audience.map { "{\"id\":\"\(id)\",\"audience\":\"\($0)\"}" }
    return .exchanged(
      SimulatedExchange(
        server: 0, origin: "https://a", phone: phone, sent: sent, method: method, path: path,
        signature: payload.map { Array("e30.\(Data($0.utf8).base64URL).AA".utf8) }, token: token.map { Array($0.utf8) },
        body: Array(body.utf8), status: status, response: Array(response.utf8)))
  }

  private static let login = "/wallet/v1/sessions"
  private static let wrongPIN = exchange(
    login, 401, body: "{\"pin\":\"1\"}", response: "{\"code\":\"wrongCredentials\",\"message\":\"\"}")
  private static let opened = exchange(login, response: "{\"session\":\"t\"}")

  /// A new wallet, and its login by the nonce of its enrolment.
  private static func enrolled(_ user: String) -> [SimulatedFact] {
    [
      exchange(
        "/enrolments", 201, id: "e\(user)", body: "{\"email\":\"\(user)\"}", response: "{\"nonce\":\"n\(user)\"}"),
      exchange(
        login, id: "n\(user)", sent: 2, body: "{\"nonce\":\"n\(user)\"}", response: "{\"session\":\"s\(user)\"}"),
    ]
  }

  /// A login by password and question.
  private static func login(of user: String) -> [SimulatedFact] {
    [
      exchange(
        login, 412, id: "p\(user)", sent: 3, body: "{\"userName\":\"\(user)\"}",
        response: "{\"token\":\"q\(user)\"}"),
      exchange(
        "\(login)/mfa", id: "q\(user)", sent: 3, body: "{\"token\":\"q\(user)\"}", response: "{\"session\":\"r\"}"),
    ]
  }

  /// An order of an operator about a device of a user.
  private static func ordered(_ user: String) -> SimulatedFact {
    exchange(
      "/device", signedFor: nil, method: "PATCH", body: "{\"userName\":\"\(user)\"}", phone: nil)
  }

  private static let added = SimulatedFact.added(card: 0, phone: 0, server: 0)
  private static let deactivated = SimulatedFact.deactivated(phone: 0, server: 0, isDeactivated: true)
  private static let activated = SimulatedFact.deactivated(phone: 0, server: 0, isDeactivated: false)

  private static let withdrawn = "a card gives no cryptogram after its wallet has acknowledged that it may not pay"
  private static let stopped = "the issuer approves no payment of a card that it has stopped"
  private static let late = "a request from before a withdrawal is not accepted after it"
  private static let ended = "a server accepts no session of a device that was deactivated or unlinked since"
  private static let once = "a server accepts a signature of a device once"
  private static let audience = "a server accepts a signature only when it names the server"
  private static let pins = "a server answers at most four wrong PINs of a device in a row before it unlinks the device"
  private static let idle = "a server accepts no session that was unused for more than 600 seconds"
  private static let fresh = "a cryptogram leaves a card within 60 seconds of the verification of its holder"
  private static let offline = "a card approves no more payments without its issuer than its profile allows"
  private static let inactive = "a server gives a device that it has deactivated no session, card or key"

  /// A payment that a till approves without the issuer.
  private static func offline(_ counter: UInt16) -> SimulatedFact {
    .accepted(till: 0, card: 0, counter: counter, amount: 1, isOnline: false)
  }

  private static let foreign = "contact with a server changes the cards of its issuer only"

  @Test(
    arguments: [
      ([added, .suspended(card: 0, isSuspended: true), verified, answer(1)], withdrawn),
      ([added, .unlinked(phone: 0, server: 0), verified, answer(1)], withdrawn),
      ([added, .lockRemoved(phone: 0), verified, answer(1)], withdrawn),
      ([added, .stopped(card: 0, isStopped: true), .followed(phone: 0, server: 0), verified, answer(1)], withdrawn),
      ([added, deactivated, .followed(phone: 0, server: 0), verified, answer(1)], withdrawn),
      ([added, .unlinked(phone: 0, server: 0), .followed(phone: 0, server: 0), verified, answer(1)], withdrawn),
      ([added, .stopped(card: 0, isStopped: true), approval], stopped),
      ([added, deactivated, approval], stopped),
      ([added, .unlinked(phone: 0, server: 0), approval], stopped),
      ([exchange(login, sent: 2, token: nil), deactivated, exchange(login, id: "2", sent: 1)], late),
      (
        [exchange("/cards", token: "Bearer t"), deactivated, exchange("/cards", id: "2", sent: 2, token: "Bearer t")],
        ended
      ),
      ([exchange(login), exchange(login)], once),
      ([exchange(login, signedFor: "https://b")], audience),
      ([exchange(login, signedFor: nil), exchange(login, signedFor: "")], audience),
      ([wrongPIN, wrongPIN, wrongPIN, wrongPIN, wrongPIN], pins),
      (
        [exchange("/cards", token: "Bearer t"), .passed(seconds: 601), exchange("/cards", id: "2", token: "Bearer t")],
        idle
      ),
      ([verified, .passed(seconds: 61), answer(1)], fresh),
      ([.limited(card: 0, approvals: 1), added, offline(1), offline(2)], offline),
      // A session is known from the response that gives it.
      ([opened, deactivated, exchange("/cards", id: "2", sent: 2, token: "Bearer t")], ended),
      ([opened, .passed(seconds: 601), exchange("/cards", id: "2", token: "Bearer t")], idle),
      ([deactivated, exchange("/cards", sent: 2)], inactive),
      // Another wallet of the same device does not lift it.
      (enrolled("a") + [ordered("a"), deactivated] + enrolled("b") + login(of: "a"), inactive),
      (
        login(of: "a") + [ordered("a"), deactivated, exchange("/enrolments", id: "6"), exchange("/cards", id: "7")],
        inactive
      ),
      ([.changed(card: 0, of: nil, by: 0)], foreign), ([.changed(card: 0, of: 1, by: 0)], foreign),
    ] as [([SimulatedFact], String)])
  func `facts of wallets and servers that must not be break their rule`(_ facts: [SimulatedFact], _ rule: String) {
    #expect(broken(facts).contains(rule), "\(broken(facts))")
  }

  @Test(
    arguments: [
      [added, .suspended(card: 0, isSuspended: true), .suspended(card: 0, isSuspended: false), verified, answer(1)],
      [added, .stopped(card: 0, isStopped: true), verified, answer(1)],
      [
        added, .stopped(card: 0, isStopped: true), .followed(phone: 0, server: 0), .stopped(card: 0, isStopped: false),
        .followed(phone: 0, server: 0), verified, answer(1), approval,
      ],
      [added, .lockRemoved(phone: 0), added, verified, answer(1)],
      [added, deactivated, activated, approval],
      [exchange(login, sent: 2), deactivated, activated, exchange(login, id: "2", sent: 1)],
      [exchange(login), exchange(login, 401), exchange(login, 401, signedFor: "https://b")],
      [
        exchange("/cards", token: "Bearer t"), deactivated,
        exchange("/cards", 403, id: "2", sent: 2, token: "Bearer t"),
      ],
      [wrongPIN, wrongPIN, wrongPIN, wrongPIN, exchange(login, body: "{\"pin\":\"1\"}"), wrongPIN],
      [.changed(card: 0, of: 0, by: 0)],
      [
        exchange("/cards", token: "Bearer t"), .passed(seconds: 600), exchange("/cards", id: "2", token: "Bearer t"),
        .passed(seconds: 600), exchange("/cards", 403, id: "3", token: "Bearer t"),
      ],
      [verified, .passed(seconds: 60), answer(1)],
      [.limited(card: 0, approvals: 1), added, offline(1), added, offline(2)],
      [deactivated, exchange(login, 412, sent: 2)],
      [exchange(login, sent: 2), deactivated, exchange(login, 412, id: "2", sent: 1)],
      enrolled("a") + [ordered("a"), deactivated] + enrolled("b") + [exchange("/cards", id: "8")],
      [opened, deactivated, .restored(server: 0), exchange("/cards", id: "2", sent: 2, token: "Bearer t")],
      [.lockRemoved(phone: 0), deactivated, exchange("/cards", sent: 2)],
      [added, deactivated, .restored(server: 0), approval],
    ] as [[SimulatedFact]])
  func `facts of wallets and servers that may be break no rule`(_ facts: [SimulatedFact]) {
    #expect(broken(facts) == [])
  }

  /// The rules that some facts break, by their sentences.
  private func broken(_ facts: [SimulatedFact]) -> Set<String> {
    var rules = SimulationLedger()
    return Set(facts.flatMap { rules.add($0) }.map(\.rule))
  }

  @Test func `a payment breaks no rule`() {
    let facts: [SimulatedFact] = [
      Self.verified, Self.answer(1), Self.approval,
      .accepted(till: 0, card: 0, counter: 1, amount: 100, isOnline: true),
      Self.answer(2), .verified(phone: 0, verification: 2), Self.answer(3, verification: 2),
      .accepted(till: 0, card: 0, counter: 3, amount: 1, isOnline: false),
    ]
    #expect(broken(facts) == [])
  }

  @Test(arguments: [
    ([verified, answer(1), answer(1, 0xBB)], "a transaction counter leaves a card with one cryptogram"),
    ([verified, answer(2), answer(1)], "the transaction counters of a card rise"),
    ([answer(1)], "a cryptogram leaves a card only after a verification of its holder, and at most two after each"),
    (
      [verified, answer(1), answer(2), answer(3)],
      "a cryptogram leaves a card only after a verification of its holder, and at most two after each"
    ),
    (
      [.verified(phone: 1, verification: 1), answer(1)],
      "a cryptogram leaves a card only after a verification of its holder, and at most two after each"
    ),
    (
      [verified, answer(1, verification: nil)],
      "a cryptogram leaves a card only after a verification of its holder, and at most two after each"
    ),
    ([approval, approval], "the issuer approves a transaction counter of a card once"),
    (
      [.accepted(till: 0, card: 0, counter: 1, amount: 100, isOnline: true)],
      "a till approves online only what the issuer has approved, with its amount"
    ),
    (
      [approval, .accepted(till: 0, card: 0, counter: 1, amount: 101, isOnline: true)],
      "a till approves online only what the issuer has approved, with its amount"
    ),
  ])
  func `facts that must not be break their rule`(_ facts: [SimulatedFact], _ rule: String) {
    #expect(broken(facts).contains(rule), "\(broken(facts))")
  }

  @Test(
    arguments: [
      [], [0x90, 0x00], [0x6A, 0x82], [0x77, 0x90, 0x00], [0x77, 0x7F, 0x9F, 0x36, 0x90, 0x00],
      [0x80, 0x02, 0x00, 0x40, 0x90, 0x00],
      [0x77, 0x04, 0x9F, 0x36, 0x02, 0x00, 0x90, 0x00], [0x77, 0x81, 0x90, 0x00], response(0, 0x00),
    ] as [[UInt8]])
  func `a response without a whole cryptogram breaks no rule`(_ response: [UInt8]) {
    let fact = SimulatedFact.answered(card: 0, phone: 0, verification: nil, till: 0, command: [], response: response)
    #expect(broken([fact]) == [])
  }
}

extension Data {
  /// Base64url without padding.
  fileprivate var base64URL: String {
    base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
