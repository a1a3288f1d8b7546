import JOSE
import JSON
import Testing

@testable import AccessMessages

@Suite("Device-Signature")
struct DeviceSignatureTests {
  static let now: Int64 = 1_800_000_000_000

  static func signature(_ body: [UInt8] = [1, 2], path: String = "/wallet/v1/sessions", at moment: Int64 = now)
    -> DeviceSignature
  {
    DeviceSignature(
      method: "POST", path: path, body: body, issuedAt: moment, id: "AAAAAAAAAAAAAAAAAAAAAA",
      audience: "https://server.test")
  }

  @Test(arguments: [true, false])
  func `a signature is verified with the key of the device and names the device`(statesKey: Bool) throws {
    let key = try SoftwareKey(keyID: "d", use: .signature)
    let text = try Self.signature().compact(deviceID: "d", key: key, statesKey: statesKey)
    let signer = try DeviceSignature.signer(of: text)
    #expect(signer.deviceID == "d")
    #expect(signer.key == (statesKey ? key.publicKey : nil))
    let read = try DeviceSignature(verifying: text, with: key.publicKey)
    #expect(read == Self.signature())
    try read.check(method: "POST", path: "/wallet/v1/sessions", body: [1, 2], now: Self.now)
  }

  @Test func `a signature with another key than that of the device is wrong`() throws {
    let text = try Self.signature().compact(deviceID: "d", key: try SoftwareKey(), statesKey: true)
    let other = try SoftwareKey().publicKey
    #expect(throws: DeviceSignatureError.wrongSignature) { try DeviceSignature(verifying: text, with: other) }
  }

  @Test(
    arguments: [
      ("GET", "/wallet/v1/sessions", [1, 2]), ("POST", "/wallet/v1/sessions/", [1, 2]),
      ("POST", "/wallet/v1/sessions", [1, 3]), ("POST", "/wallet/v1/sessions?x", [1, 2]),
    ] as [(String, String, [UInt8])])
  func `a signature is for one method, path and body`(method: String, path: String, body: [UInt8]) {
    #expect(throws: DeviceSignatureError.otherRequest) {
      try Self.signature().check(method: method, path: path, body: body, now: Self.now)
    }
  }

  @Test(arguments: [(0, true), (300_000, true), (-300_000, true), (300_001, false), (-300_001, false)])
  func `the clocks may differ by 5 minutes`(skew: Int64, isAccepted: Bool) {
    let signature = Self.signature(at: Self.now + skew)
    let result = Result {
      try signature.check(method: "POST", path: "/wallet/v1/sessions", body: [1, 2], now: Self.now)
    }
    #expect(((try? result.get()) != nil) == isAccepted)
  }

  @Test func `a moment at the limits of its range is compared without overflow`() throws {
    for moment in [0, Int64.max / 2] {
      #expect(throws: DeviceSignatureError.clockSkew) {
        try Self.signature(at: moment).check(method: "POST", path: "/wallet/v1/sessions", body: [1, 2], now: Self.now)
      }
    }
  }

  @Test(arguments: ["", "a", "a.b", "a.b.c", "..", "e30.e30.AA", "W10.e30.AA", "eyJkZXZpY2VJZCI6IiJ9.e30.AA"])
  func `a header of another form is malformed`(text: String) {
    #expect(throws: DeviceSignatureError.self) { try DeviceSignature.signer(of: text) }
  }

  @Test func `a stated key that is no point of the curve is malformed`() throws {
    let header = JSONValue(members: [
      ("alg", "ES256"), ("deviceId", "d"), ("jwk", RoundTripTests.jwk.setting("y", to: RoundTripTests.identifier)),
    ])
    let text = Array(header.compact.utf8).base64URL + ".e30.AA"
    #expect(throws: DeviceSignatureError.self) { try DeviceSignature.signer(of: text) }
  }
}

extension DeviceSignature {
  /// The header of a request, signed with a key in memory.
  fileprivate func compact(deviceID: String, key: some SigningKey, statesKey: Bool) throws -> String {
    let unsigned = try unsigned(deviceID: deviceID, publicKey: key.publicKey, statesKey: statesKey)
    return unsigned.compact(signature: try key.signature(of: unsigned.signedOctets))
  }
}
