import AccessMessages
@testable import AccessServer
import Documents
import FIDOUAF
import JOSE
import JSON
import Octets
@testable import ServerShell
@testable import ServerStore
import TestSupport
import Testing

/// A device of a test that signs requests to the paths of wallet access.
struct TestWalletDevice: Sendable {
  let deviceID: String
  let signatureKey: SoftwareKey
  let encryptionKey: SoftwareKey

  init(_ deviceID: String = "phone") throws {
    self.deviceID = deviceID
    (signatureKey, encryptionKey) = (try SoftwareKey(), try SoftwareKey())
  }

  init(_ deviceID: String, _ signatureKey: SoftwareKey, _ encryptionKey: SoftwareKey) {
    (self.deviceID, self.signatureKey, self.encryptionKey) = (deviceID, signatureKey, encryptionKey)
  }

  /// A device that claims another identifier with the keys of a device.
  init(_ deviceID: String, keysOf device: TestWalletDevice) {
    self.deviceID = deviceID
    (signatureKey, encryptionKey) = (device.signatureKey, device.encryptionKey)
  }

  var described: WalletDevice {
    WalletDevice(
      deviceID: deviceID, name: "Phone", signatureKey: signatureKey.publicKey, encryptionKey: encryptionKey.publicKey)
  }

  func signature(
    _ method: String, _ path: String, _ body: JSONValue?, at moment: Int64,
    id: String = SystemRandomSource().octets(16).base64URL, statesKey: Bool = true,
    audience: String? = TestServer.origin
  ) throws -> String {
    try DeviceSignature(
      method: method, path: path, body: Array((body?.compact ?? "").utf8), issuedAt: moment, id: id,
      audience: audience
    ).compact(deviceID: deviceID, key: signatureKey, statesKey: statesKey)
  }
}

extension TestServer {
  static let profile = UserProfile(
    firstName: "Ada", lastName: "Lovelace", email: "Ada@example.org", password: "analytical engine 1",
    passcode: "8203", phone: "+44 20 1234",
    answers: [
      UserProfile.Answer(questionID: "pet", text: "Rex"), UserProfile.Answer(questionID: "town", text: "Bath  Spa"),
    ], additionalCustomerInformation: ["branch": "12"])

  typealias Answer = (status: Int, json: JSONValue)

  /// Sends a request that a device signs.
  func wallet(
    _ method: String, _ path: String, _ body: JSONValue? = nil, by device: TestWalletDevice, session: String? = nil,
    statesKey: Bool = true
  ) async throws -> Answer {
    let signature = try device.signature(
      method, path, body, at: clock.now.epochMilliseconds, statesKey: statesKey)
    let headers = Self.signed(signature) + (session.map(Self.bearer) ?? [])
    let (response, json) = try await send(method, path, body, headers: headers)
    return (response.status, json)
  }

  func post(_ path: String, _ body: JSONValue, by device: TestWalletDevice, session: String? = nil) async throws
    -> Answer
  {
    try await wallet("POST", path, body, by: device, session: session)
  }

  func logIn(_ request: SessionRequest, by device: TestWalletDevice) async throws -> Answer {
    try await post(WalletPath.sessions, request.json, by: device)
  }

  func logIn(
    password: String = profile.password, userName: String = profile.email, scope: SessionScope = .wallet,
    by device: TestWalletDevice
  ) async throws -> Answer {
    try await logIn(.password(userName: userName, password: password, scope), by: device)
  }

  /// Answers a question, rightly unless another text is given.
  func answer(
    _ prompt: JSONValue, _ text: String? = nil, by device: TestWalletDevice, links: Bool = true,
    replacing former: TestWalletDevice? = nil
  ) async throws -> Answer {
    let prompt = try QuestionPrompt(prompt)
    var described = device.described
    described.replaces = former?.deviceID
    let right = Self.profile.answers.first { $0.questionID == prompt.questionID }?.text
    let body = QuestionAnswer(
      token: prompt.token, answer: try text ?? #require(right), device: links ? described : nil)
    return try await post(WalletPath.questionAnswers, body.json, by: device)
  }

  func status(of device: TestWalletDevice) async throws -> DeviceStatus {
    try DeviceStatus(await wallet("GET", WalletPath.device, by: device).json)
  }

  /// Adds a wallet and returns the nonce.
  func enrol(_ profile: UserProfile = profile, by device: TestWalletDevice) async throws -> String {
    let answer = try await post(WalletPath.enrolments, profile.json, by: device)
    try #require(answer.status == 201, "\(answer.json.compact)")
    return try EnrolmentResponse(answer.json).nonce
  }

  /// Adds a wallet, logs in with the nonce and returns the session.
  @discardableResult
  func link(_ device: TestWalletDevice, _ profile: UserProfile = profile) async throws -> String {
    let nonce = try await enrol(profile, by: device)
    return try WalletSession(await logIn(.nonce(nonce, device.described), by: device).json).session
  }

  func isLoggedIn(_ session: String, _ device: TestWalletDevice) async throws -> Bool {
    try await wallet("GET", WalletPath.devices, by: device, session: session).status == 200
  }

  func auditText() async throws -> String {
    let entries = try await store.read { store throws(AccessError) in try store.auditEntries(limit: 1_000) }
    return entries.map { "\($0)" }.joined(separator: "\n")
  }
}

extension JSONValue {
  /// The code of a refusal.
  var refusal: String? { self["code"]?.text }
}

extension DeviceSignature {
  /// The header of a request, signed with a key in memory.
  func compact(deviceID: String, key: some SigningKey, statesKey: Bool) throws -> String {
    let unsigned = try unsigned(deviceID: deviceID, publicKey: key.publicKey, statesKey: statesKey)
    return unsigned.compact(signature: try key.signature(of: unsigned.signedOctets))
  }
}
