import FIDOUAF
import RelyingParty
import Testing

@Suite("The ceremonies of a relying party")
struct CeremonyTests {
  private let authenticator = TestAuthenticator()
  private let challenge = (0..<32).map { UInt8($0) }
  private let anyClient = AcceptedClients(facets: nil, channelBindings: nil)

  private func header(_ operation: UAFOperation) -> OperationHeader {
    OperationHeader(operation, applicationID: "https://server.test/facets", serverData: "session")
  }

  private func registration(excluding registered: [RegisteredKey] = []) throws -> RegistrationCeremony {
    RegistrationCeremony(
      of: "alice", header(.registration), challenge: challenge, try #require(NamedPolicy(nil)), excluding: registered)
  }

  private func response(_ message: UAFMessage, to operation: UAFOperation) throws -> ReceivedResponse {
    try ReceivedResponse(message.text, to: operation)
  }

  /// The key of the authenticator after a registration.
  private func registeredKey(of userName: String = "alice") throws -> RegisteredKey {
    let ceremony = try registration()
    let received = try response(
      .registrationResponse(authenticator.registration(ceremony.request)), to: .registration)
    let assertion = try #require(try ceremony.verify(received).first)
    return RegisteredKey(
      aaid: assertion.aaid, keyID: assertion.keyID, userName: userName, publicKey: assertion.publicKey,
      publicKeyEncoding: assertion.publicKeyEncoding, signatureAlgorithm: assertion.signatureAlgorithm,
      authenticatorVersion: assertion.authenticatorVersion, signatureCounter: assertion.signatureCounter)
  }

  /// An authentication with a policy for any key of the default models.
  private func authentication() throws -> AuthenticationCeremony {
    AuthenticationCeremony(
      header(.authentication), challenge: challenge, nil, try #require(NamedPolicy(nil)).openPolicy)
  }

  /// The status of the refusal that a body throws; nil when it throws none.
  private func status(_ body: () throws -> Void) throws -> UAFStatusCode? {
    do {
      try body()
      return nil
    } catch let refusal as CeremonyError {
      return refusal.status
    }
  }

  @Test func `a response to the request of a registration has a new key`() throws {
    let ceremony = try registration()
    let received = try response(
      .registrationResponse(authenticator.registration(ceremony.request)), to: .registration)
    #expect(received.parameters.challenge == challenge)
    try received.verify(against: ceremony.request.header, ceremony.request.policy, from: anyClient)
    let assertions = try ceremony.verify(received)
    #expect(assertions.map(\.keyID) == [authenticator.keyID])
  }

  @Test func `a key of the user is not registered again`() throws {
    let ceremony = try registration(excluding: [try registeredKey()])
    let received = try response(
      .registrationResponse(authenticator.registration(ceremony.request)), to: .registration)
    #expect(try status { _ = try ceremony.verify(received) } == .unacceptableAuthenticator)
  }

  @Test func `a response of another operation is refused`() throws {
    let message = UAFMessage.registrationResponse(try authenticator.registration(registration().request))
    #expect(try status { _ = try response(message, to: .authentication) } == .unacceptableContent)
  }

  @Test func `a client without a trusted facet and a foreign connection are refused`() throws {
    let request = try registration().request
    let received = try response(.registrationResponse(authenticator.registration(request)), to: .registration)
    let others = AcceptedClients(facets: ["ios:bundle-id:other"], channelBindings: nil)
    #expect(
      try status { try received.verify(against: request.header, request.policy, from: others) }
        == .unacceptableContent)
    var foreign = authenticator
    foreign.channelBinding = ChannelBinding(serverEndPoint: "foreign")
    let relayed = try response(.registrationResponse(foreign.registration(request)), to: .registration)
    let own = AcceptedClients(facets: nil, channelBindings: [ChannelBinding(serverEndPoint: "own")])
    #expect(
      try status { try relayed.verify(against: request.header, request.policy, from: own) }
        == .channelBindingRefused)
  }

  @Test func `an authentication returns the key with its new counter`() throws {
    let (key, ceremony) = (try registeredKey(), try authentication())
    let received = try response(
      .authenticationResponse(authenticator.authentication(ceremony.request)), to: .authentication)
    let named = AuthenticationCeremony.namedKeys(in: received)
    #expect(named.map(\.keyID) == [key.keyID] && named.map(\.aaid) == [key.aaid])
    let verified = try ceremony.verify(received, with: [key])
    #expect(verified.count == 1 && verified[0].isSame(as: key))
  }

  @Test func `a key that is not registered does not authenticate`() throws {
    let ceremony = try authentication()
    let received = try response(
      .authenticationResponse(authenticator.authentication(ceremony.request)), to: .authentication)
    #expect(try status { _ = try ceremony.verify(received, with: []) } == .unknownKeyID)
  }

  @Test func `a deregistration names its keys one by one`() throws {
    let key = try registeredKey()
    let ceremony = DeregistrationCeremony(header(.deregistration), deleting: [key])
    #expect(ceremony.request.targets == [.key(key.aaid, key.keyID)])
    #expect(DeregistrationCeremony.means([], key.aaid.description, key.keyID.octets))
    #expect(!DeregistrationCeremony.means([.key(key.aaid, key.keyID)], key.aaid.description, [1]))
  }
}
