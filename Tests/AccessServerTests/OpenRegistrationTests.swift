import AccessMessages
@testable import AccessServer
import FIDOUAF
import JSON
import Testing

@Suite("Open registration")
struct OpenRegistrationTests {
  @Test func `open registration is for names without an authenticator`() async throws {
    let server = try await TestServer()
    let authorization = try await server.register(TestAuthenticator(), "alice")
    let context = RequestContext(userName: "alice")
    #expect(try await server.request(.registration, context).status == 401)
    #expect(try await server.request(.registration, context, token: authorization).status == 200)
    #expect(try await server.request(.registration, context, token: TestServer.operatorToken).status == 200)
    #expect(try await server.request(.registration, RequestContext(userName: "bob")).status == 200)
    let bob = try await server.register(TestAuthenticator("F1D0#1003"), "bob")
    #expect(try await server.request(.registration, context, token: bob).status == 403)
  }

  @Test func `an open registration that was begun before the name had an authenticator adds none`() async throws {
    let server = try await TestServer()
    let early = try await server.registrationRequest("alice")
    try await server.register(TestAuthenticator(), "alice")
    let late = try await server.respond(.registrationResponse(TestAuthenticator("F1D0#1003").registration(early)))
    #expect(late.status == .forbidden)
    #expect(try await server.credentials(of: "alice").count == 1)
  }

  @Test func `a challenge for one device registers no key of another`() async throws {
    let server = try await TestServer()
    let context = RequestContext(userName: "alice", deviceID: "device-1")
    for (device, status) in [("device-2", UAFStatusCode.requestInvalid), ("device-1", .ok)] {
      let body = try await server.request(.registration, context).body
      guard case .registrationRequest(let request) = try UAFMessage(request: #require(body?.message)) else {
        throw TestServer.UnexpectedMessage()
      }
      let result = try await server.respond(
        .registrationResponse(TestAuthenticator().registration(request)), context: ResponseContext(deviceID: device))
      #expect(result.status == status)
    }
  }
}
