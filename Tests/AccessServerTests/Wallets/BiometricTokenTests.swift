import AccessMessages
import Documents
import JSON
import Testing

@testable import AccessServer

@Suite("The token for the login by biometrics")
struct BiometricTokenTests {
  let server: TestServer
  let device: TestWalletDevice

  init() async throws {
    server = try await TestServer()
    device = try TestWalletDevice()
  }

  func enable(on server: TestServer) async throws -> (status: Int, json: JSONValue) {
    let session = try WalletSession(await server.logIn(.pin("8203"), by: device).json).session
    return try await server.wallet("POST", WalletPath.biometricToken, by: device, session: session)
  }

  @Test func `a session after a login by PIN gets a token, another session does not`() async throws {
    let byNonce = try await server.link(device)
    let byPassword = try WalletSession(await server.logIn(by: device).json).session
    for session in [byNonce, byPassword] {
      let refused = try await server.wallet("POST", WalletPath.biometricToken, by: device, session: session)
      #expect(refused.status == 403 && refused.json.refusal == "notAllowed")
    }
    #expect(try await enable(on: server).status == 201)
  }

  @Test func `the token logs in until it is withdrawn or replaced`() async throws {
    try await server.link(device)
    let first = try BiometricToken(await enable(on: server).json).token
    #expect(try await server.logIn(.biometricToken(first), by: device).status == 200)
    let next = try BiometricToken(await enable(on: server).json).token
    #expect(try await server.logIn(.biometricToken(first), by: device).json.refusal == "wrongCredentials")
    let login = try await server.logIn(.biometricToken(next), by: device)
    let session = try WalletSession(login.json).session
    #expect(try await server.wallet("DELETE", WalletPath.biometricToken, by: device, session: session).status == 204)
    #expect(try await server.logIn(.biometricToken(next), by: device).status == 401)
  }

  @Test func `a device withdraws its token without a session, and no token of another device`() async throws {
    try await server.link(device)
    let token = try BiometricToken(await enable(on: server).json).token
    let second = try TestWalletDevice("second")
    #expect(try await server.wallet("DELETE", WalletPath.biometricToken, by: second).json.refusal == "notRegistered")
    #expect(try await server.answer(await server.logIn(by: second).json, by: second).status == 200)
    #expect(try await server.wallet("DELETE", WalletPath.biometricToken, by: second).status == 204)
    #expect(try await server.logIn(.biometricToken(token), by: device).status == 200)
    for _ in 0..<2 {
      #expect(try await server.wallet("DELETE", WalletPath.biometricToken, by: device).status == 204)
    }
    #expect(try await server.logIn(.biometricToken(token), by: device).status == 401)
  }

  @Test func `a session after biometrics enables no other token`() async throws {
    try await server.link(device)
    let token = try BiometricToken(await enable(on: server).json).token
    let session = try WalletSession(await server.logIn(.biometricToken(token), by: device).json).session
    #expect(try await server.wallet("POST", WalletPath.biometricToken, by: device, session: session).status == 403)
  }

  @Test func `the token of one device is of no use to another`() async throws {
    try await server.link(device)
    let token = try BiometricToken(await enable(on: server).json).token
    let second = try TestWalletDevice("second")
    #expect(try await server.answer(await server.logIn(by: second).json, by: second).status == 200)
    #expect(try await server.logIn(.biometricToken(token), by: second).status == 401)
  }

  @Test func `an issuer that does not allow biometrics gives no token and accepts none`() async throws {
    let issuer = try await TestServer { $0.wallets.requirements.biometricLogin = false }
    try await issuer.link(device)
    #expect(try await enable(on: issuer).json.refusal == "notAllowed")
    #expect(try await issuer.logIn(.biometricToken("any"), by: device).json.refusal == "notAllowed")
  }
}
