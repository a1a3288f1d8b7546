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

/// A device of a test with its two keys and its dispatch target.
struct TestDevice: Sendable {
  let deviceID: String
  let signatureKey: SoftwareKey
  let encryptionKey: SoftwareKey
  var targetID = ""

  init(_ deviceID: String = "device-1") throws {
    self.deviceID = deviceID
    signatureKey = try SoftwareKey()
    encryptionKey = try SoftwareKey()
  }

  func registration(_ account: String, name: String = "Phone", push: String? = "push-token") -> JSONValue {
    DispatchTargetRegistration(
      userName: account, deviceID: deviceID, name: name, pushTarget: push,
      dispatcher: DispatchChannel.push.rawValue, signatureKey: signatureKey.publicKey,
      encryptionKey: encryptionKey.publicKey
    ).json
  }

  func sign(_ request: DeviceRequest) throws -> String {
    try JSONWebSignature.compact(signing: Array(request.json.compact.utf8), with: signatureKey)
  }

  /// A signature for a request at a moment of the server.
  func signature(
    _ server: TestServer, _ purpose: DeviceRequest.Purpose?, change: DispatchTargetChange? = nil, id: String? = nil,
    skew: Int64 = 0, audience: String? = TestServer.origin
  ) throws -> String {
    try sign(
      DeviceRequest(
        targetID: targetID, requestID: id ?? "\(UInt64.random(in: 0 ... .max))",
        createdAt: server.clock.now.epochMilliseconds + skew, audience: audience, purpose: purpose, change: change))
  }

  func decrypt(_ text: String) throws -> JSONValue {
    let json = try JSONValue(parsing: JSONWebEncryption(decrypting: text, with: encryptionKey).plaintext)
    LogSearch.all.use(json)
    return json
  }
}

extension TestServer {
  /// Registers a device of an account that has a user.
  func add(
    _ device: TestDevice, _ account: String, name: String = "Phone", push: String? = "push-token",
    token: String = operatorToken
  ) async throws -> TestDevice {
    let json = try await send(
      "POST", AccessPath.dispatchTargets, device.registration(account, name: name, push: push),
      headers: Self.bearer(token)
    ).json
    var device = device
    device.targetID = try DispatchTargetIdentifiers(json).id
    return device
  }

  /// Sends a change of a dispatch target.
  func change(_ target: String, _ jws: String) async -> AccessResponse {
    await respond(
      to: AccessRequest(
        "PATCH", AccessPath.dispatchTarget(target),
        headers: [(name: "content-type", value: "application/jose;charset=UTF-8")], body: Array(jws.utf8),
        address: "192.0.2.1"))
  }

  static func signed(_ jws: String) -> [(name: String, value: String)] {
    [(name: "device-signature", value: jws)]
  }
}
