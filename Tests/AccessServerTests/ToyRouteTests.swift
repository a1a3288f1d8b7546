import AccessMessages
@testable import AccessServer
import Documents
import JSON
@testable import ServerShell
@testable import ServerStore
import TestSupport
import Testing

/// The recipe "Add a route with a table": each part is in a file of its own in the server.
@Suite(.timeLimit(.minutes(20)))
struct ToyRouteTests {
  @Test func `a route with a table is a message, a step of the schema, a record, a rule and an entry in a list`()
    async throws
  {
    let scratch = try Scratch()
    let schema = AccessSchema(steps: AccessSchema.current.steps + [AccessSchema.notes])
    let store = try SQLiteAccessStore(path: scratch.path("access.sqlite"), schema: schema)
    let server = try await TestServer().serving(store)

    for text in ["first", "second"] {
      let response = try await Self.add(Note(text: text), to: server)
      #expect(response.status == 201)
      #expect(try Note(JSONValue(parsing: response.body)) == Note(text: text))
    }
    let records = try await store.read { (store) throws(AccessError) in try store.notes(by: "192.0.2.1") }
    #expect(records.map(\.text) == ["first", "second"])
    await #expect(throws: AccessError.self) { try await Self.add(Note(text: ""), to: server) }
  }

  private static func add(_ note: Note, to server: TestServer) async throws -> AccessResponse {
    let target = try #require(RequestTarget("/toy/v1/notes"))
    let request = AccessRequest("POST", "/toy/v1/notes", address: "192.0.2.1")
    let call = Call(request: request, target: target, arguments: [], json: note.json)
    return try await NoteRules.routes[0].respond(server.service, call)
  }
}

private struct Note: JSONMessage, Hashable {
  var text: String

  static let fields = MessageTable(Self.init(text:), .text("text", \.text, 1...64))
}

extension AccessSchema {
  fileprivate static let notes = """
    CREATE TABLE note (
      id TEXT NOT NULL PRIMARY KEY,
      address TEXT NOT NULL,
      text TEXT NOT NULL,
      createdAt INTEGER NOT NULL
    ) STRICT;
    """
}

struct NoteRecord: StoredRecord {
  static let table = RecordTable("note", identity: ["id"])

  var id: String
  var address: String
  var text: String
  var createdAt: Int64
}

extension AccessTransaction {
  fileprivate func notes(by address: String) throws(AccessError) -> [NoteRecord] { try list("address", address) }
}

private struct NoteRules: RequestRules {
  let scope: RequestScope

  func addNote(_ note: Note) throws(AccessError) -> Note {
    try transaction.save(NoteRecord(id: newIdentifier(), address: address, text: note.text, createdAt: now))
    return note
  }
}

extension NoteRules {
  fileprivate static let routes: [Route<AccessService>] = [
    returning("POST", "/toy/v1/notes", status: 201, reading: Note.init) { rules, _, body in try rules.addNote(body) }
  ]
}
