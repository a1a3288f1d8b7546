internal import Crypto
internal import Documents
public import JOSE
internal import JSON

extension DeviceSignature {
  /// The device that a header names. Nothing of it is verified.
  public struct Signer: Hashable, Sendable {
    /// The identifier of the device.
    public let deviceID: String
    /// The public key that the device states, or nil.
    public let key: JSONWebKey?
  }

  /// Reads the device that a header names, so that the server can look for its key.
  ///
  /// - Throws: `DeviceSignatureError.malformed`.
  public static func signer(of text: String) throws(DeviceSignatureError) -> Signer {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, text.utf8.count <= maximumCount else {
      throw .malformed("a JWS has three parts and at most \(maximumCount) bytes here")
    }
    do {
      let reader = try StrictReader(JSONValue(parsing: [UInt8](base64URL: parts[0])), at: "header")
      return Signer(
        deviceID: try reader.text("deviceId", DispatchTarget.deviceIDRange),
        key: try reader.optionalValue("jwk", JSONWebKey.init(_:at:)))
    } catch {
      throw .malformed("\(error)")
    }
  }

  /// Verifies the signature of a header and reads its payload.
  ///
  /// - Parameter key: The registered key of the device; the stated one only for a device that is not registered.
  /// - Throws: `DeviceSignatureError`: `wrongSignature`, or `malformed` for a payload of the wrong form.
  public init(verifying text: String, with key: JSONWebKey) throws(DeviceSignatureError) {
    guard let signature = try? JSONWebSignature(verifying: text, with: key) else { throw .wrongSignature }
    do {
      try self.init(JSONValue(parsing: signature.payload))
    } catch {
      throw .malformed("\(error)")
    }
  }

  /// Checks that the signature is for a request, made now.
  ///
  /// - Parameters:
  ///   - now: The time of the server, in milliseconds since 1970.
  /// - Throws: `DeviceSignatureError`: `otherRequest` or `clockSkew`.
  public func check(method: String, path: String, body: [UInt8], now: Int64) throws(DeviceSignatureError) {
    guard self.method == method, self.path == path, bodyDigest == [UInt8](SHA256.hash(data: body)) else {
      throw .otherRequest
    }
    // The difference of two moments from 0 to 2⁶² does not overflow.
    guard abs(issuedAt - now) <= Self.maximumClockSkew else { throw .clockSkew }
  }
}

/// Why a header `Device-Signature` is refused.
public enum DeviceSignatureError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The header, its protected header or its payload has the wrong form.
  case malformed(String)
  /// The signature is not that of the device.
  case wrongSignature
  /// The signature is for another method, path or body.
  case otherRequest
  /// The clocks of device and server differ too much.
  case clockSkew

  /// A sentence without keys.
  public var description: String {
    switch self {
    case .malformed(let reason): "the signature of the device: \(reason)"
    case .wrongSignature: "the signature is not that of the device"
    case .otherRequest: "the signature of the device is for another method, path or body"
    case .clockSkew: "the clocks of device and server differ by more than 5 minutes: correct the time of the device"
    }
  }
}
