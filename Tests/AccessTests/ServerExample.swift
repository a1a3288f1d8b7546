import AccessServer
import QRCode
import ServerShell
import ServerStore
import TestSupport
import Testing

/// The examples of the articles of the server.
@Suite(.timeLimit(.minutes(20)))
struct ServerExample {
  @Test func `the articles of the server answer a request from a store`() async throws {
    let scratch = try Scratch()
    let (path, token) = (scratch.path("access.sqlite"), "a token of the operator")

    let store = try SQLiteAccessStore(path: path)
    let service = try await AccessService(
      store: store, configuration: .selfSigned, url: ServerURL("https://server.example"), operatorToken: token)

    let request = AccessRequest("GET", "/app-versions/linux", address: "127.0.0.1")
    let answer = await service.respond(to: request)
    print(answer.status, String(decoding: answer.body, as: UTF8.self))

    #expect(answer.status == 200)
  }

  @Test func `the article of QRCode writes and reads a code`() throws {
    let file = try QRCode.png(of: "https://server.example/open")
    let text = try QRCode.text(inPNG: file)

    #expect(text == "https://server.example/open")
  }
}
