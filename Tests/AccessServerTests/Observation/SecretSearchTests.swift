@testable import AccessServer
import JOSE
import JSON
import Octets
@testable import ServerShell
@testable import ServerStore
import Synchronization
import Testing

/// The search that `TestServer` and `RunningServer` use in all suites finds what it is there for.
@Suite("The search for secrets in logs")
struct SecretSearchTests {
  private final class Findings: Sendable {
    private let findings = Mutex<[String]>([])
    var all: [String] { findings.withLock { $0 } }
    func add(_ finding: String) { findings.withLock { $0.append(finding) } }
  }

  private func search(_ body: (LogSearch) -> Void) -> [String] {
    let findings = Findings()
    body(LogSearch(report: findings.add))
    return findings.all
  }

  @Test func `a secret is found in a message, whichever comes first`() {
    #expect(
      search {
        $0.use("8203"); $0.log.warning("PIN 8203 is wrong")
      } == [#""8203" is in a log: PIN 8203 is wrong"#])
    #expect(
      search {
        $0.log.warning("PIN 8203 is wrong"); $0.use("8203")
      } == [#""8203" is in a log: PIN 8203 is wrong"#])
    #expect(
      search {
        $0.use("8203"); $0.log.warning("PIN 8204 is wrong")
      } == [])
  }

  @Test func `a name is found as a word, also in a path`() {
    for text in ["the user alice", "GET /operator/v1/users/alice", "user=alice;"] {
      let found = search { search in
        search.use("alice")
        search.log.warning(text)
      }
      #expect(found.count == 1, "\(text)")
    }
  }

  @Test func `a PIN is found as a word, and not in a longer number or the name of a file`() {
    #expect(
      search {
        $0.use("0000"); $0.log.warning("slow, 600000 ms, /tmp/a-0000-b/c")
      } == [])
    #expect(
      search {
        $0.use("0000"); $0.log.warning("the entry 0000, which is wrong")
      }.count == 1)
  }

  @Test func `each text of a body, a header and a path is a secret`() {
    for line in ["pin8203", "bearer-token", "cookie-value", "device-4711", "inner-name", "field-value"] {
      let found = search { search in
        search.use(
          "/operator/v1/users/device-4711",
          headers: [
            (name: "Authorization", value: "Bearer bearer-token"), (name: "cookie", value: "a=cookie-value; b=c"),
          ], body: Array(#"{"a": ["pin8203"], "context": "{\"b\": \"inner-name\"}"}"#.utf8))
        search.use("/", headers: [], body: Array("token=field-value".utf8))
        search.log.info("the \(line) is in it")
      }
      #expect(found.count == 1, "\(line)")
    }
  }

  @Test func `a key of a server is found in its log, whatever it is for`() async throws {
    let server = try await TestServer()
    let keys = try await server.generatedKeys()
    #expect(Set(keys.map(\.purpose)) == Set(KeyGenerationRecord.Purpose.allCases))
    for text in keys.flatMap({ [$0.value.hex, $0.value.base64URL] }) {
      withKnownIssue { server.observation.log.warning("the key \(text) is in it") }
    }
  }

  @Test func `a member that a line must not have, or a value of another form, is found`() {
    for member in [
      #""path": "/operator/v1/users/alice""#, #""route": "GET /operator/v1/users/alice""#, #""requestId": "alice""#,
      #""address": "alice""#, #""status": 8203"#, #""refusal": "alice""#, #""level": "alice""#, #""time": "alice""#,
    ] {
      #expect(search { $0.read("{\(member)}") }.count == 1, "\(member)")
    }
  }
}
