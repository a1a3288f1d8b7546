import AccessMessages
import JSON
import Testing

@testable import MobileAuthentication

struct RetryPolicyTests {
  @Test(arguments: [
    (NetworkRetryPolicy.none, []),
    (.constant(maxRetries: 3, delay: .seconds(2)), [2, 2, 2]),
    (
      .exponential(maxRetries: 5, initialDelay: .seconds(1), maximumDelay: .seconds(4), multiplier: 1), [1, 2, 4, 4, 4]
    ),
    (.exponential(maxRetries: 2, initialDelay: .seconds(9), maximumDelay: .seconds(4), multiplier: 1), [4, 4]),
    (.constant(maxRetries: -1, delay: .seconds(2)), []),
  ])
  func `a policy has its pauses`(_ policy: NetworkRetryPolicy, _ seconds: [Int]) {
    #expect(policy.delays == seconds.map { .seconds($0) })
  }

  @Test func `a change is repeated after each failure of the network`() async throws {
    let stage = try ClientStage { _, number in
      number < 2 ? .failure(.unreachable("no route")) : .success(HTTPResponse(status: 204))
    }
    let client = try await stage.client()
    try await stage.register(client)

    try await DeviceInformationChange(name: "New", retryPolicy: .constant(maxRetries: 3, delay: .seconds(2)))
      .execute(on: client)

    #expect(stage.times == [.zero, .seconds(2), .seconds(4)])
    // A server accepts each request once.
    #expect(Set(stage.requests.map(\.body)).count == 3)
    #expect(try await client.localData.deviceInformation(at: ClientStage.server)?.name == "New")
  }

  @Test(arguments: [NetworkRetryPolicy.none, .constant(maxRetries: 2, delay: .seconds(1))])
  func `the last failure of the network ends a change`(_ policy: NetworkRetryPolicy) async throws {
    let stage = try ClientStage { _, _ in .failure(.timedOut(limit: .seconds(60))) }
    let client = try await stage.client()
    try await stage.register(client)

    await #expect { try await DeviceInformationChange(name: "New", retryPolicy: policy).execute(on: client) } throws: {
      error in (error as? OperationError)?.code == "Network"
    }

    #expect(stage.requests.count == 1 + policy.delays.count)
    #expect(try await client.localData.deviceInformation(at: ClientStage.server)?.name == "Phone")
  }

  @Test(arguments: [
    (400, "Refused"), (401, "Signing"), (404, "NotFound"), (422, "NameAlreadyExists"), (500, "Refused"),
  ])
  func `an answer of the server is not repeated`(_ status: Int, _ code: String) async throws {
    let stage = try ClientStage { _, _ in .success(HTTPResponse(status: status)) }
    let client = try await stage.client()
    try await stage.register(client)
    let change = DeviceInformationChange(name: "New", retryPolicy: .constant(maxRetries: 3, delay: .seconds(1)))

    await #expect { try await change.execute(on: client) } throws: { error in
      (error as? OperationError)?.code == code
    }
    #expect(stage.requests.count == 1)
  }

  @Test func `a clock that differs too much has an error of its own`() async throws {
    let failure = AccessFailure(.clockSkew, "5 minutes")
    let stage = try ClientStage { _, _ in
      .success(HTTPResponse(status: 401, body: Array(failure.json.compact.utf8)))
    }
    let client = try await stage.client()
    try await stage.register(client)

    await #expect(throws: OperationError.clockSkewTooBig) {
      try await DeviceInformationChange(name: "New").execute(on: client)
    }
  }

  @Test func `a change of nothing succeeds without an exchange`() async throws {
    let stage = try ClientStage()
    try await DeviceInformationChange().execute(on: try await stage.client())
    #expect(stage.requests.isEmpty)
  }
}
