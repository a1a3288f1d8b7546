import Documents
import FIDOUAF
import DeviceAuthentication
import AccessMessages
import Foundation
import JSON
import MobileAuthentication
import TestSupport
import Testing

/// What the client sends, verified by a UAF checker in Python (`tools/oracles/check_uaf.py`).
@Suite(.timeLimit(.minutes(20)))
struct UAFOracleTests {
  @Test func `an independent checker verifies every assertion of the client`() async throws {
    var operations: [JSONValue] = []
    for sensor in [AuthenticatorKind.finger, .face] {
      operations += try await Self.operations([.pin, sensor, .devicePasscode, .password])
    }
    let output = try Oracle.run("check_uaf.py", JSONValue(operations).compact)
    #expect(output.split(separator: "\n").count == operations.count && operations.count == 30)
    for model in 1...5 {
      #expect(output.contains("Reg F1D0#100\(model)") && output.contains("Auth F1D0#100\(model)"))
    }
  }

  @Test func `an independent checker verifies every assertion with RSA`() async throws {
    let operations = try await Self.operations([.pin, .finger, .devicePasscode, .password], .android, "7.2405")
    let output = try Oracle.run("check_uaf.py", JSONValue(operations).compact)
    #expect(output.split(separator: "\n").count == 15 && operations.count == 15)
    for model in [1, 2, 4, 5] {
      #expect(output.contains("Reg F1D0#000\(model) RSA") && output.contains("Auth F1D0#000\(model) RSA"))
    }
  }

  @Test(arguments: ["fcParams", "assertion"])
  func `the checker refuses an answer with one changed character`(_ member: String) async throws {
    let operations = try await Self.operations([.pin])
    let response = try #require(operations[0]["response"]?.text)
    let start = try #require(response.range(of: "\\\"\(member)\\\": \\\""))
    let place = response.index(start.upperBound, offsetBy: 40)
    let changed = response.replacingCharacters(in: place...place, with: response[place] == "A" ? "B" : "A")
    let operation = operations[0].setting("response", to: JSONValue(changed))

    #expect(throws: Oracle.Refusal.self) { try Oracle.run("check_uaf.py", JSONValue([operation]).compact) }
  }

  /// Registers and uses authenticators, and returns the captured requests and answers: three for each authenticator, and one
  /// of the authentication before each registration but the first.
  private static func operations(
    _ kinds: [AuthenticatorKind], _ profile: AuthenticatorProfile = .ios, _ version: String? = nil
  ) async throws -> [JSONValue] {
    try await RunningServer.run { server in
      let test = try TestClient(server, sensor: kinds.contains(.face) ? .face : .finger) { configuration in
        configuration.profile = profile
        configuration.serverVersion = version.flatMap { DottedVersion($0) }
      }
      let client = try await test.start()
      for kind in kinds {
        let person = ScriptedPerson(choosing: kind, profile)
        _ = try await Registration(username: "alice", server: server.url, options: person.registration)
          .execute(on: client)
        _ = try await Authentication(username: "alice", options: person.authentication).execute(on: client)
        let dispatched = try await Operator(server).dispatch(
          .authentication, RequestContext(userName: "alice", transaction: "Pay \(kind.rawValue)"))
        let link = try #require(dispatched.response)
        let message = try await OutOfBandPayloadDecode(base64URL: link).execute(on: client)
        _ = try await OutOfBandOperation(message, onAuthentication: person.authentication).execute(on: client)
      }
      return try Self.pairs(test.exchange.exchanges, facet: client.configuration.facetID)
    }
  }

  private static func pairs(_ exchanges: [RecordingExchange.Exchange], facet: String) throws -> [JSONValue] {
    var pairs: [JSONValue] = []
    var request: String?
    for exchange in exchanges {
      if let response = exchange.response, let text = try? JSONValue(parsing: response.body)["uafRequest"]?.text {
        request = text
      } else if let text = request, String(decoding: exchange.request.body, as: UTF8.self).contains("uafResponse") {
        pairs.append([
          "request": JSONValue(text), "facet": JSONValue(facet),
          "response": JSONValue(String(decoding: exchange.request.body, as: UTF8.self)),
        ])
        request = nil
      }
    }
    return pairs
  }
}
