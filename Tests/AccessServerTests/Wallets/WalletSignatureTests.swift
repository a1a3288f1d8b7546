import AccessMessages
import Documents
import FIDOUAF
import JSON
import Octets
@testable import ServerShell
@testable import ServerStore
import TestSupport
import Testing

@testable import AccessServer

@Suite("The signature of a device in front of wallet access")
struct WalletSignatureTests {
  let server: TestServer
  let device: TestWalletDevice

  init() async throws {
    server = try await TestServer()
    device = try TestWalletDevice()
  }

  func send(_ signature: String, _ method: String = "GET", _ path: String = WalletPath.device) async throws
    -> (status: Int, json: JSONValue)
  {
    let (response, json) = try await server.send(method, path, headers: TestServer.signed(signature))
    return (response.status, json)
  }

  var now: Int64 { server.clock.now.epochMilliseconds }

  @Test func `every path of wallet access refuses a request without a signature`() async throws {
    let wallet = AccessService.routes.filter { $0.pattern.first == "wallet" }
    #expect(wallet.count >= 12)
    let bodies: [String: JSONValue] = [
      WalletPath.enrolments: TestServer.profile.json, WalletPath.sessions: SessionRequest.pin("8203").json,
      WalletPath.questionAnswers: QuestionAnswer(token: "t", answer: "a", device: nil).json,
      WalletPath.currentSession: SessionLimit(nil).json, WalletPath.profile: ["phone": "+41 44 123 45 67"],
      WalletPath.pin: PINReplacement(pin: "8203", newPIN: "1379").json,
      WalletPath.recoveries: RecoveryRequest.answer(token: "t", answer: "a").json,
    ]
    for route in wallet where bodies["/" + route.pattern.joined(separator: "/")] != nil || route.method != "POST" {
      let path = "/" + route.pattern.joined(separator: "/")
      let answer = try await server.send(route.method, path, bodies[path])
      #expect(answer.response.status == 401 && answer.json.refusal == "unauthorized", "\(route.method) \(path)")
    }
  }

  @Test func `an identifier is accepted once, also by a device that is not linked`() async throws {
    let id = "AAAAAAAAAAAAAAAAAAAAAA"
    #expect(try await send(device.signature("GET", WalletPath.device, nil, at: now, id: id)).status == 200)
    let again = try await send(device.signature("GET", WalletPath.device, nil, at: now + 1, id: id))
    #expect(again.status == 401 && again.json.refusal == "replay")
  }

  @Test(arguments: [(-300_000, 200), (300_000, 200), (-300_001, 401), (300_001, 401)] as [(Int64, Int)])
  func `the clocks may differ by 5 minutes`(skew: Int64, status: Int) async throws {
    let answer = try await send(device.signature("GET", WalletPath.device, nil, at: now + skew))
    #expect(answer.status == status)
    #expect(answer.json.refusal == (status == 200 ? nil : "clockSkew"))
  }

  @Test func `a used identifier is kept as long as its signature is accepted, and removed afterwards`() async throws {
    let signature = try device.signature("GET", WalletPath.device, nil, at: now + 300_000)
    #expect(try await send(signature).status == 200)
    server.advance(seconds: 600)
    _ = try await server.service.removeExpired()
    #expect(try await send(signature).json.refusal == "replay")
    server.advance(seconds: 1)
    #expect(try await server.service.removeExpired() == 1)
    #expect(try await send(signature).json.refusal == "clockSkew")
  }

  @Test func `a signature for another method, path or body is refused`() async throws {
    let signatures = [
      try device.signature("DELETE", WalletPath.device, nil, at: now),
      try device.signature("GET", WalletPath.requirements, nil, at: now),
      try device.signature("GET", WalletPath.device, ["a": 1], at: now),
    ]
    for signature in signatures {
      let answer = try await send(signature)
      #expect(answer.status == 401 && answer.json.refusal == "unauthorized")
    }
  }

  @Test func `a linked device is recognised by its registered key, whatever key it states`() async throws {
    try await server.link(device)
    #expect(try await server.wallet("GET", WalletPath.device, by: device, statesKey: false).status == 200)
    let impostor = try TestWalletDevice()
    #expect(try await server.wallet("GET", WalletPath.device, by: impostor).status == 401)
  }

  @Test func `a device that is not linked states its key`() async throws {
    let answer = try await server.wallet("GET", WalletPath.device, by: device, statesKey: false)
    #expect(answer.status == 403 && answer.json.refusal == "notRegistered")
  }

  @Test func `an empty header is a missing one`() async throws {
    let answer = try await send("")
    #expect(answer.status == 401 && answer.json.refusal == "unauthorized")
  }

  @Test(arguments: ["a.b", "a.b.c", "e30.e30.AA"])
  func `a header of another form is malformed`(text: String) async throws {
    let answer = try await send(text)
    #expect(answer.status == 400 && answer.json.refusal == "malformed")
  }

  @Test func `wrong signatures from one address do not block right ones`() async throws {
    let server = try await TestServer { $0.failureLimits.perAddress = 2 }
    try await server.link(device)
    let impostor = try TestWalletDevice()
    for status in [401, 401, 401] {
      #expect(try await server.wallet("GET", WalletPath.device, by: impostor).status == status)
    }
    #expect(try await server.wallet("GET", WalletPath.device, by: device).status == 200)
  }
}
