internal import DeviceAuthentication
internal import FIDOUAF
internal import JOSE
internal import JSON
internal import Octets

extension LocalRecords {
  /// The records as the text of their file. It contains no secret in clear.
  var fileText: String { json.pretty + "\n" }

  private var json: JSONValue {
    JSONValue(members: [
      ("version", JSONValue(FileLocalData.version)),
      ("firstRegistrationVersion", firstRegistrationVersion.map { JSONValue($0) }),
      ("device", device?.json),
      ("accounts", JSONValue(accounts.map(\.json))),
      ("registrations", JSONValue(registrations.map(\.json))),
      ("wallets", wallets.isEmpty ? nil : JSONValue(wallets.map(\.json))),
    ])
  }
}

extension DeviceRecord {
  fileprivate var json: JSONValue {
    JSONValue(members: [
      ("name", JSONValue(information.name)),
      ("deviceId", JSONValue(information.deviceId)),
      ("pushToken", information.pushToken.map { JSONValue($0) }),
      ("signatureKey", JSONValue(signatureKey.octets.base64URL)),
      ("encryptionKey", encryptionKey.json),
    ])
  }
}

extension SealedSecret {
  var json: JSONValue {
    JSONValue(members: [
      ("sealingKey", JSONValue(sealingKey.octets.base64URL)), ("box", JSONValue(box.base64URL)),
    ])
  }
}

extension AccountRecord {
  fileprivate var json: JSONValue {
    JSONValue(members: [
      ("username", JSONValue(account.username)),
      ("server", JSONValue(account.server)),
      ("dispatchTarget", dispatchTarget.map { JSONValue($0) }),
      ("formerDeviceId", formerDeviceID.map { JSONValue($0) }),
      ("acceptedAuthenticators", acceptedAuthenticators.map { JSONValue($0.map(\.json)) }),
    ])
  }
}

extension RegistrationRecord {
  fileprivate var json: JSONValue {
    JSONValue(members: [
      ("username", JSONValue(account.username)),
      ("server", JSONValue(account.server)),
      ("aaid", aaid.json),
      ("keyID", keyID.json),
      ("appID", JSONValue(appID)),
      ("key", JSONValue(key.identifier.octets.base64URL)),
      ("rsaKey", rsaKey?.json),
      ("enrolmentDigest", JSONValue(key.enrolmentDigest.base64URL)),
      ("state", JSONValue(state.rawValue)),
      ("isInvalidatedByNewBiometrics", JSONValue(isInvalidatedByNewBiometrics)),
      ("acceptsPasscode", JSONValue(acceptsPasscode)),
      ("protection", protection?.json),
    ])
  }
}

extension SecretProtection {
  fileprivate var json: JSONValue {
    JSONValue(members: [
      ("kind", JSONValue(kind.rawValue)),
      ("verifier", verifier.json),
      ("failures", JSONValue(attempts.failures)),
      ("lastFailure", attempts.lastFailure?.json),
      ("count", JSONValue(String(count))),
      ("seal", seal.map { JSONValue($0.base64URL) }),
    ])
  }
}

extension TimeMark {
  var json: JSONValue {
    JSONValue(members: [
      ("seconds", JSONValue(wall.seconds)),
      ("milliseconds", JSONValue(wall.milliseconds)),
      ("sinceBoot", JSONValue(sinceBoot.nanoseconds)),
      ("boot", JSONValue(boot)),
    ])
  }
}
