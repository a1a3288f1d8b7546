internal import Documents
internal import FIDOUAF
internal import JOSE
internal import JSON

extension IdentityMove {
  /// Reads the body of a request, and verifies that the new key of the device has signed it.
  ///
  /// - Throws: `DeviceSignatureError`: `malformed`, or `wrongSignature`.
  public init(verifying body: String) throws(DeviceSignatureError) {
    let parts = body.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, body.utf8.count <= DeviceSignature.maximumCount else {
      throw .malformed("a JWS has three parts and at most \(DeviceSignature.maximumCount) bytes here")
    }
    do {
      // The key that the payload states selects it; nothing else of it counts before the signature is verified.
      try self.init(JSONValue(parsing: [UInt8](base64URL: parts[1])))
    } catch {
      throw .malformed("\(error)")
    }
    guard (try? JSONWebSignature(verifying: body, with: signatureKey)) != nil else { throw .wrongSignature }
  }
}
