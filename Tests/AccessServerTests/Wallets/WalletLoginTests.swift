import AccessMessages
import Documents
import JSON
import Octets
@testable import ServerShell
import Testing

@testable import AccessServer

@Suite("Login to a wallet")
struct WalletLoginTests {
  let server: TestServer
  let device: TestWalletDevice
  let second: TestWalletDevice

  init() async throws {
    server = try await TestServer()
    (device, second) = (try TestWalletDevice(), try TestWalletDevice("second"))
    try await server.link(device)
  }

  @Test func `the right password on another device asks one of the answered questions, and links nothing`() async throws
  {
    let answer = try await server.logIn(by: second)
    #expect(answer.status == 412)
    #expect(["pet", "town"].contains(try QuestionPrompt(answer.json).questionID))
    #expect(try await server.status(of: second).isRegistered == false)
  }

  @Test func `the right answer links the device, with other case and spaces too`() async throws {
    let prompt = try await server.logIn(by: second).json
    let entered = ["pet": " REX ", "town": "bath spa"][try QuestionPrompt(prompt).questionID]
    let answer = try await server.answer(prompt, entered, by: second)
    #expect(answer.status == 200)
    #expect(try await server.status(of: second) == DeviceStatus(isRegistered: true, isActive: true))
    #expect(try await server.isLoggedIn(try WalletSession(answer.json).session, second))
  }

  @Test func `a device that lost its keys unlinks its former identity, but no device of another wallet`() async throws {
    let stranger = try TestWalletDevice("stranger")
    var profile = TestServer.profile
    profile.email = "grace@example.org"
    try await server.link(stranger, profile)
    let third = try TestWalletDevice("third")
    for (new, former) in [(second, stranger), (third, device)] {
      let answer = try await server.answer(await server.logIn(by: new).json, by: new, replacing: former)
      #expect(answer.status == 200)
    }
    #expect(try await server.status(of: stranger).isRegistered)
    #expect(try await server.status(of: device).isRegistered == false)
    #expect(try await server.status(of: second).isRegistered)
  }

  @Test func `a device that the operator has deactivated is not linked again with new keys`() async throws {
    let deactivated = try await server.send(
      "PATCH", OperatorPath.walletDevice(device.deviceID), DeviceStateChange(isActive: false).json,
      headers: TestServer.bearer(TestServer.operatorToken))
    #expect(deactivated.response.status == 204)
    let answer = try await server.answer(await server.logIn(by: second).json, by: second, replacing: device)
    #expect(answer.status == 403 && answer.json.refusal == "deviceInactive")
  }

  @Test func `an answer that describes another device is refused, and the question is not used up`() async throws {
    let prompt = try QuestionPrompt(await server.logIn(by: second).json)
    let right = try #require(TestServer.profile.answers.first { $0.questionID == prompt.questionID }?.text)
    let other = try TestWalletDevice("other").described
    for (described, status) in [(other, 400), (second.described, 200)] {
      let body = QuestionAnswer(token: prompt.token, answer: right, device: described)
      #expect(try await server.post(WalletPath.questionAnswers, body.json, by: second).status == status)
    }
  }

  @Test func `a wrong answer links nothing, and uses the question up`() async throws {
    let prompt = try await server.logIn(by: second).json
    #expect(try await server.answer(prompt, "Tom", by: second).status == 401)
    #expect(try await server.answer(prompt, by: second).status == 401)
    #expect(try await server.status(of: second).isRegistered == false)
  }

  @Test func `an answer is of no use to another device, after 300 s, or a second time`() async throws {
    let prompt = try await server.logIn(by: second).json
    let others = [
      try TestWalletDevice("third"), TestWalletDevice("third", keysOf: second), try TestWalletDevice("second"),
    ]
    for other in others { #expect(try await server.answer(prompt, by: other).status == 401) }
    server.advance(seconds: 300)
    #expect(try await server.answer(prompt, by: second).status == 401)
    let fresh = try await server.logIn(by: second).json
    #expect(try await server.answer(fresh, by: second).status == 200)
    #expect(try await server.answer(fresh, by: second).status == 401)
  }

  @Test func `guessed answers are refused after the fifth, the right one too`() async throws {
    for _ in 0..<5 {
      #expect(try await server.answer(await server.logIn(by: second).json, "Tom", by: second).status == 401)
    }
    let answer = try await server.answer(await server.logIn(by: second).json, by: second)
    #expect(answer.status == 429 && answer.json.refusal == "tooManyFailures")
    server.advance(seconds: 3_600)
    #expect(try await server.answer(await server.logIn(by: second).json, by: second).status == 200)
  }

  @Test func `a right answer does not set the count of wrong ones to zero`() async throws {
    for number in 0..<5 {
      #expect(try await server.answer(await server.logIn(by: second).json, "Tom", by: second).status == 401)
      if number == 2 {
        #expect(try await server.answer(await server.logIn(by: second).json, by: second).status == 200)
        #expect(try await server.wallet("DELETE", WalletPath.device, by: second).status == 204)
      }
    }
    #expect(try await server.answer(await server.logIn(by: second).json, by: second).status == 429)
  }

  @Test func `with one seed the same questions are drawn, and each of them in time`() async throws {
    var runs: [[String]] = []
    for _ in 0..<2 {
      let server = try await TestServer(random: SeededRandomSource(seed: 7))
      try await server.link(device)
      var drawn: [String] = []
      for _ in 0..<12 { drawn.append(try QuestionPrompt(await server.logIn(by: second).json).questionID) }
      runs.append(drawn)
    }
    #expect(runs[0] == runs[1])
    #expect(Set(runs[0]) == ["pet", "town"])
  }

  @Test func `the right password on a linked device logs in without a question`() async throws {
    #expect(try await server.logIn(by: device).status == 200)
    let issuer = try await TestServer { $0.wallets.requirements.pinLogin = false }
    try await issuer.link(device)
    #expect(try await issuer.logIn(by: device).status == 200)
    let pin = try await issuer.logIn(.pin("8203"), by: device)
    #expect(pin.status == 403 && pin.json.refusal == "notAllowed")
  }

  @Test func `a wrong password and an unknown user name are refused with the same response`() async throws {
    let wrong = try await server.logIn(password: "wrong", by: second)
    let unknown = try await server.logIn(userName: "unknown@example.org", by: second)
    #expect(wrong.status == 401 && wrong.json.refusal == "wrongCredentials")
    #expect(unknown.status == wrong.status)
    // The identifier of the request is the only difference.
    let (first, second) = try (#require(unknown.json.members), #require(wrong.json.members))
    #expect(first.map(\.key) == second.map(\.key))
    #expect(first.filter { $0.key != "requestId" } == second.filter { $0.key != "requestId" })
  }

  @Test func `guessed passwords are refused after the limit, the right one too`() async throws {
    let server = try await TestServer { $0.failureLimits.perAccount = 3 }
    try await server.link(device)
    for _ in 0..<3 { #expect(try await server.logIn(password: "wrong", by: second).status == 401) }
    #expect(try await server.logIn(by: second).status == 429)
    server.advance(seconds: 300)
    #expect(try await server.logIn(by: second).status == 412)
  }

  @Test func `the next owner of a device starts without the wrong passwords of the former one`() async throws {
    let server = try await TestServer { $0.failureLimits.perAccount = 3 }
    let session = try await server.link(device)
    for _ in 0..<3 { #expect(try await server.logIn(password: "wrong", by: device).status == 401) }
    #expect(try await server.logIn(by: device).status == 429)
    #expect(try await server.wallet("DELETE", WalletPath.device, by: device, session: session).status == 204)
    var profile = TestServer.profile
    profile.email = "next@example.org"
    try await server.link(device, profile)
    #expect(try await server.logIn(userName: profile.email, by: device).status == 200)
    #expect(try await server.logIn(password: "wrong", userName: profile.email, by: device).status == 401)
  }

  @Test func `passwords that are guessed at the same time are counted one after the other`() async throws {
    let server = try await TestServer { $0.failureLimits.perAccount = 3 }
    try await server.link(device)
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 { group.addTask { try await server.logIn(password: "wrong", by: second).status } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.count { $0 == 401 } == 3)
    #expect(statuses.count { $0 == 429 } == 17)
  }

  @Test func `a right password sets the count of wrong ones to zero`() async throws {
    let server = try await TestServer { $0.failureLimits.perAccount = 3 }
    try await server.link(device)
    for _ in 0..<3 {
      for _ in 0..<2 { #expect(try await server.logIn(password: "wrong", by: device).status == 401) }
      #expect(try await server.logIn(by: device).status == 200)
    }
  }

  @Test func `passwords and answers that are guessed elsewhere do not block a linked device`() async throws {
    let server = try await TestServer { $0.failureLimits.perAccount = 3 }
    try await server.link(device)
    for _ in 0..<5 {
      let prompt = try await server.logIn(by: second).json
      #expect(try await server.answer(prompt, "Tom", by: second).status == 401)
    }
    for _ in 0..<3 { #expect(try await server.logIn(password: "wrong", by: second).status == 401) }
    #expect(try await server.logIn(by: second).status == 429)
    #expect(try await server.logIn(by: device).status == 200)
    let recovery = RecoveryRequest.begin(userName: TestServer.profile.email, .password)
    #expect(try await server.post(WalletPath.recoveries, recovery.json, by: second).status == 429)
    #expect(try await server.post(WalletPath.recoveries, recovery.json, by: device).status == 200)
    // The linked device has a limit too.
    for _ in 0..<3 { #expect(try await server.logIn(password: "wrong", by: device).status == 401) }
    #expect(try await server.logIn(by: device).status == 429)
  }

  @Test func `wrong passwords of a stranger do not block a new device of the user at another address`() async throws {
    let server = try await TestServer { $0.failureLimits.perAccount = 3 }
    try await server.link(device)
    for host in ["2001:db8::1", "2001:db8::2", "2001:db8:0:0:ffff::3"] {
      let stranger = server.at(address: host)
      #expect(try await stranger.logIn(password: "wrong", by: TestWalletDevice("stranger")).status == 401)
    }
    // An IPv6 network of 64 bits is one client.
    #expect(try await server.at(address: "2001:db8::4").logIn(by: second).status == 429)
    #expect(try await server.at(address: "2001:db8:0:1::4").logIn(by: second).status == 412)
  }

  @Test func `100 wrong passwords from many addresses block those that are new to the user for an hour`() async throws {
    for host in 1...100 {
      let stranger = server.at(address: "198.51.100.\(host)")
      #expect(try await stranger.logIn(password: "wrong", by: second).status == 401)
    }
    #expect(try await server.at(address: "203.0.113.1").logIn(by: second).status == 429)
    #expect(try await server.logIn(by: second).status == 412)
    #expect(try await server.at(address: "203.0.113.1").logIn(by: device).status == 200)
    server.advance(seconds: 3_601)
    #expect(try await server.at(address: "203.0.113.9").logIn(by: second).status == 412)
  }

  @Test func `100 wrong passwords do not block a device of the user that was unlinked within 30 days`() async throws {
    let session = try WalletSession(await server.logIn(by: device).json).session
    #expect(try await server.wallet("DELETE", WalletPath.device, by: device, session: session).status == 204)
    for host in 1...100 {
      let stranger = server.at(address: "198.51.100.\(host)")
      #expect(try await stranger.logIn(password: "wrong", by: second).status == 401)
    }
    let elsewhere = server.at(address: "203.0.113.1")
    #expect(try await elsewhere.logIn(by: device).status == 412)
    // Another device may state the same identifier; it has another key.
    #expect(try await elsewhere.logIn(by: TestWalletDevice(device.deviceID)).status == 429)
  }

  @Test func `a device that is linked with one wallet does not log in to another`() async throws {
    var other = TestServer.profile
    other.email = "other@example.org"
    try await server.link(second, other)
    let answer = try await server.logIn(userName: other.email, by: device)
    #expect(answer.status == 409 && answer.json.refusal == "deviceLinked")
  }

  @Test func `the right PIN logs in, a wrong one is refused, and a right one resets the count`() async throws {
    for _ in 0..<2 {
      for _ in 0..<4 { #expect(try await server.logIn(.pin("8204"), by: device).status == 401) }
      #expect(try await server.logIn(.pin("8203"), by: device).status == 200)
    }
    #expect(try await server.logIn(.pin("8203"), by: second).json.refusal == "notRegistered")
  }

  @Test func `the fifth wrong PIN unlinks the device and keeps the wallet`() async throws {
    for _ in 0..<4 { #expect(try await server.logIn(.pin("0001"), by: device).json.refusal == "wrongCredentials") }
    let last = try await server.logIn(.pin("0001"), by: device)
    #expect(last.status == 401 && last.json.refusal == "deviceUnlinked")
    #expect(try await server.status(of: device).isRegistered == false)
    #expect(try await server.logIn(.pin("8203"), by: device).json.refusal == "notRegistered")
    #expect(try await server.logIn(by: device).status == 412)
  }

  @Test func `PINs that are guessed at the same time are counted one after the other`() async throws {
    let refusals = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<20 { group.addTask { try await server.logIn(.pin("0001"), by: device).json.refusal } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(refusals.count { $0 == "wrongCredentials" } == 4)
    #expect(refusals.count { $0 == "deviceUnlinked" } == 1)
    #expect(refusals.count { $0 == "notRegistered" } == 15)
  }

  @Test func `two devices that use one question at the same time are not both linked`() async throws {
    let prompt = try await server.logIn(by: second).json
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 { group.addTask { try await server.answer(prompt, by: second).status } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.count { $0 == 200 } == 1)
    #expect(statuses.count { $0 == 401 } == 7)
  }
}
