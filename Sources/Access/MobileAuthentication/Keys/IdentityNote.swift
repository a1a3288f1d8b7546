internal import Crypto
internal import DeviceAuthentication
internal import Documents
internal import FIDOUAF
internal import JSON
internal import Octets

/// What a device keeps beside its keys of its identity at one server. It contains no secret.
struct IdentityNote: JSONMessage, Equatable {
  /// The identifier of the device.
  let deviceID: String
  /// The signing key of the device, for JWS.
  let signatureKey: KeyIdentifier
  /// The private key for JWE, sealed by the device.
  let encryptionKey: SealedSecret

  /// The members of the note.
  static let fields = MessageTable(
    Self.init(deviceID:signatureKey:encryptionKey:),
    .text("deviceId", \.deviceID, 1...128),
    .value("signatureKey", \.signatureKey),
    .value("encryptionKey", \.encryptionKey)
  ).closed

  /// The name of the note: a digest, since an origin has other characters than a name.
  static func name(at server: String) -> String {
    "identity-" + SHA256.hash(data: Array(server.utf8)).prefix(16).map { $0 }.hex.lowercased()
  }

  var octets: [UInt8] { Array(json.compact.utf8) }
  var keys: [KeyIdentifier] { [signatureKey, encryptionKey.sealingKey] }

  /// The identity with the names that a server has for it.
  func record(at server: String, _ information: (String) -> DeviceInformation) -> DeviceRecord {
    DeviceRecord(
      server: server, information: information(deviceID), signatureKey: signatureKey, encryptionKey: encryptionKey)
  }
}

extension IdentityNote {
  init(_ record: DeviceRecord) {
    self.init(
      deviceID: record.information.deviceId, signatureKey: record.signatureKey, encryptionKey: record.encryptionKey)
  }

  /// Reads a note.
  ///
  /// - Throws: `.unavailable` for a note that another program has written.
  init(_ octets: [UInt8]?) throws(OperationError) {
    guard let octets, let json = try? JSONValue(parsing: octets), let note = try? IdentityNote(json) else {
      throw OperationError(
        DeviceAuthenticationError.unavailable(reason: "what the device keeps of its identity at the server is damaged"))
    }
    self = note
  }
}
