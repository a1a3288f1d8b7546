import DeviceAuthentication
import Documents
import FIDOUAF
import AccessMessages
import TestSupport
import Testing

@testable import MobileAuthentication

/// What every operation needs before it begins.
struct RequirementTests {
  private static func operations(_ client: MobileAuthenticationClient) -> [@Sendable () async throws -> Void] {
    [
      {
        _ = try await Registration(username: "alice", server: ClientStage.server, options: .init()).execute(on: client)
      },
      { _ = try await Authentication(username: "alice", options: .init()).execute(on: client) },
      { try await Deregistration(username: "alice", authorizing: .deviceSignature).execute(on: client) },
      { _ = try await OutOfBandPayloadDecode(json: "{}").execute(on: client) },
      { _ = try await PendingOutOfBandOperations().execute(on: client) },
      { try await DeviceInformationChange(name: "New").execute(on: client) },
    ]
  }

  private static func code(_ error: any Error) -> String? {
    (error as? OperationError)?.code
  }

  private func expect(_ wanted: String, _ client: MobileAuthenticationClient, _ stage: ClientStage) async {
    for operation in Self.operations(client) {
      if Flavour.present == .release {
        await #expect { try await operation() } throws: { error in Self.code(error) == wanted }
      }
    }
    if Flavour.present == .release { #expect(stage.requests.isEmpty) }
  }

  @Test func `without keys in hardware every operation ends with Hardware`() async throws {
    let stage = try ClientStage()
    await expect("Hardware", try await stage.client(protection: .software), stage)
  }

  @Test func `without a device lock every operation ends with NoDeviceLock`() async throws {
    let stage = try ClientStage()
    stage.device.disableLockScreen()
    await expect("NoDeviceLock", try await stage.client(), stage)
  }

  @Test func `a traced process makes every operation end with DeviceProtection`() async throws {
    let stage = try ClientStage()
    let integrity = SimulatedIntegrity([.tracer(process: 42)])
    await expect("DeviceProtection", try await stage.client(integrity: integrity), stage)
  }

  @Test func `the simulated device counts as hardware`() async throws {
    let stage = try ClientStage()
    try await DeviceInformationChange().execute(on: try await stage.client(protection: .simulated))
  }

  @Test func `a registration that contradicts itself is refused before an exchange`() async throws {
    let stage = try ClientStage()
    let client = try await stage.client()
    var options = Registration.Options()
    options.deviceInformation = NewDeviceInformation(name: "Phone")
    options.allowDevicePasscodeAsFallback = true

    await #expect(throws: OperationError.invalidArgument(RegistrationKeys.contradiction)) {
      try await Registration(username: "alice", server: ClientStage.server, options: options).execute(on: client)
    }
    #expect(stage.requests.isEmpty)
  }

  @Test func `a first registration without device information is refused before an exchange`() async throws {
    let stage = try ClientStage()
    let client = try await stage.client()
    await #expect {
      try await Registration(username: "alice", server: ClientStage.server, options: .init()).execute(on: client)
    } throws: { error in (error as? OperationError)?.code == "InvalidArgument" }
    #expect(stage.requests.isEmpty)
  }

  @Test func `a user name of another server is refused before an exchange`() async throws {
    let stage = try ClientStage()
    let client = try await stage.client()
    try await stage.register(client)
    await #expect(throws: OperationError.userAlreadyRegisteredInAnotherServer) {
      try await Registration(username: "alice", server: "https://other.example", options: .init()).execute(on: client)
    }
    #expect(stage.requests.isEmpty)
  }

  @Test func `a server without https is refused before an exchange`() async throws {
    let stage = try ClientStage()
    let client = try await stage.client()
    await #expect(throws: OperationError.network(.insecureURL)) {
      try await Registration(username: "alice", server: "http://example.org", options: .init()).execute(on: client)
    }
    #expect(stage.requests.isEmpty)
  }

  @Test func `a deregistration of an unknown user succeeds without an exchange and removes nothing`() async throws {
    let stage = try ClientStage()
    let client = try await stage.client()
    try await stage.register(client)
    let before = try await client.store.read()
    try await Deregistration(username: "bob", authorizing: .deviceSignature).execute(on: client)
    #expect(try await client.store.read() == before)
    #expect(stage.requests.isEmpty)
  }

  // The operations need a client, which only an initialisation returns.
  @Test func `an initialisation that fails returns no client and makes no exchange`() async throws {
    let stage = try ClientStage()
    _ = try stage.scratch.write("state", "a file where a directory is expected")
    await #expect {
      _ = try await stage.client()
    } throws: { error in (error as? OperationError)?.code == "LocalData" }
    #expect(stage.requests.isEmpty)
  }

  @Test func `the facts about the client need no client`() {
    #expect(MetaData.mobileAuthenticationVersion == "1.0.0")
    #expect(MetaData.applicationFacetID("app") == "ios:bundle-id:app")
    #expect(MetaData.programDigest()?.count == 32)
  }
}
