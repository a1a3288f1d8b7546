@testable import ServerStore
import Testing

@testable import AccessServer

@Suite("The audit trail on the operator's page")
struct OperatorAuditTests {
  /// A client whose server has the entries "1" to "75" of alice, one a minute from 2027-01-15 08:01 UTC, and one of bob.
  private static func client() async throws -> PageClient {
    let server = try await TestServer()
    let client = PageClient(server)
    _ = try await client.logIn()
    let start: Int64 = 1_800_000_000_000
    try await server.store.write { store throws(AccessError) in
      for number in 1...75 as ClosedRange<Int64> {
        try store.save(
          AuditEntry(at: start + number * 60_000, event: "payment", result: "r\(number).", account: "alice"))
      }
      try store.save(AuditEntry(at: start, event: "enrolment", result: "<b>", account: "bob & co", device: "d"))
    }
    return client
  }

  @Test func `the newest entries come first, in pages of 50`() async throws {
    let client = try await Self.client()
    let first = try await client.get("/operator/audit")
    #expect(first.results == (26...75).reversed().map { "r\($0)." })
    #expect(first.text.contains("Shown: 50 records. There are more."))
    let second = try await client.get(try first.link("Next page"))
    #expect(second.results == (1...25).reversed().map { "r\($0)." })
    #expect(second.text.contains("operatorLogin"))
  }

  @Test(arguments: [
    ("account=alice&code=r7", ["r75.", "r74.", "r73.", "r72.", "r71.", "r70.", "r7."]), ("account=alic", []),
    ("event=payment&from=2027-01-15T08:02&to=2027-01-15T08:03", ["r3.", "r2."]),
    ("to=2027-01-15T08:01:00", ["r1."]), ("from=2027-01-15T09:15&account=alice", ["r75."]),
    ("from=2027-01-16&to=2027-01-15", []),
  ])
  func `entries are found by account, event, result and time`(_ query: String, _ expected: [String]) async throws {
    #expect(try await Self.client().get("/operator/audit?\(query)").results == expected)
  }

  @Test func `a filter stays in its form and on the next page, and a value is shown as it is`() async throws {
    let client = try await Self.client()
    let page = try await client.get("/operator/audit?event=payment&account=alice&from=2027-01-15T08:00")
    #expect(
      page.text.contains("<option value=\"payment\" selected>payment</option>") && page.text.contains("value=\"alice\"")
    )
    let next = try page.link("Next page")
    #expect(next.hasPrefix("/operator/audit?account=alice&event=payment&from=2027-01-15T08%3A00&after="))
    #expect(try await client.get(next).results == (1...25).reversed().map { "r\($0)." })
    let other = try await client.get("/operator/audit?event=enrolment").text
    #expect(other.contains("&lt;b&gt;") && other.contains("href=\"/operator/audit?account=bob%20%26%20co\""))
  }

  @Test(arguments: ["from=yesterday", "to=2027-13-01", "account=\(String(repeating: "a", count: 257))"])
  func `a filter of the wrong form is refused`(_ query: String) async throws {
    #expect(try await Self.client().get("/operator/audit?\(query)").status == 400)
  }
}

extension Page {
  /// The results of payments in the table, from the top.
  fileprivate var results: [String] { text.matches(of: />(r[0-9]+\.)</).map { String($0.output.1) } }
}
