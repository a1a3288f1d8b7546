internal import DeviceAuthentication
internal import FIDOUAF
internal import JOSE
internal import JSON
internal import Octets

extension LocalRecords {
  /// Reads records.
  ///
  /// - Throws: `.newer`, or `.damaged` with the first problem.
  init(reading octets: [UInt8], of path: String) throws(LocalDataError) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: octets)
    } catch { throw .damaged(path: path, reason: "\(error)") }
    if let version = value["version"]?.integer, version > FileLocalData.version {
      throw .newer(path: path, found: version)
    }
    self.init()
    var reader = ObjectReader(value)
    _ = reader.integer("version", in: 1...FileLocalData.version)
    firstRegistrationVersion = reader.optionalText("firstRegistrationVersion", characters: 1...64)
    device = reader.has("device") ? reader.object("device") { DeviceRecord(reading: &$0) } : nil
    accounts = reader.objects("accounts") { reader in
      var record = AccountRecord(
        account: Account(reading: &reader), dispatchTarget: reader.optionalText("dispatchTarget", characters: 1...512))
      record.formerDeviceID = reader.optionalText("formerDeviceId", characters: 1...256)
      record.acceptedAuthenticators = reader.optionalTexts("acceptedAuthenticators")?.compactMap { AAID($0) }
      if record.acceptedAuthenticators?.count != reader.optionalTexts("acceptedAuthenticators")?.count {
        reader.note("acceptedAuthenticators", "AAIDs such as F1D0#1001 are needed")
      }
      return record
    }
    registrations = reader.objects("registrations") { RegistrationRecord(reading: &$0) }.compactMap(\.self)
    wallets = (reader.optionalObjects("wallets") { WalletRecord(reading: &$0) } ?? []).compactMap(\.self)
    if let problem = reader.finish().first { throw .damaged(path: path, reason: "\(problem)") }
  }
}

extension Account {
  fileprivate init(reading reader: inout ObjectReader) {
    self.init(
      username: reader.text("username", characters: 1...128), server: reader.text("server", characters: 1...1_024))
  }
}

extension DeviceRecord {
  fileprivate init?(reading reader: inout ObjectReader) {
    let information = DeviceInformation(
      name: reader.text("name", characters: 1...256), deviceId: reader.text("deviceId", characters: 1...256),
      pushToken: reader.optionalText("pushToken", characters: 1...4_096))
    let signatureKey = reader.key("signatureKey")
    let encryptionKey = reader.object("encryptionKey") { SealedSecret(reading: &$0) }
    guard let signatureKey, let encryptionKey else { return nil }
    self.init(information: information, signatureKey: signatureKey, encryptionKey: encryptionKey)
  }
}

extension SealedSecret {
  init?(reading reader: inout ObjectReader) {
    let key = reader.key("sealingKey")
    let box = reader.octets("box", 29...4_096)
    guard let key, let box else { return nil }
    self.init(sealingKey: key, box: box)
  }
}

extension RegistrationRecord {
  fileprivate init?(reading reader: inout ObjectReader) {
    let account = Account(reading: &reader)
    let aaid = AAID(reader.text("aaid"))
    if aaid == nil { reader.note("aaid", "an AAID such as F1D0#1001 is needed") }
    let keyID = reader.octets("keyID", KeyID.range).flatMap { KeyID($0) }
    let appID = reader.text("appID", characters: 0...512)
    let (key, digest) = (reader.key("key"), reader.octets("enrolmentDigest", 0...32))
    let rsaKey = reader.has("rsaKey") ? reader.object("rsaKey") { SealedSecret(reading: &$0) } : nil
    if let rsaKey, rsaKey.sealingKey != key { reader.note("rsaKey", "the member key must seal it") }
    let state = reader.choice("state", of: State.allCases.map { ($0.rawValue, $0) })
    let isInvalidated = reader.flag("isInvalidatedByNewBiometrics")
    let acceptsPasscode = reader.flag("acceptsPasscode")
    let protection = reader.has("protection") ? reader.object("protection") { SecretProtection(reading: &$0) } : nil
    guard let aaid, let keyID, let key, let digest else { return nil }
    self.init(
      account: account, aaid: aaid, keyID: keyID, appID: appID,
      key: ProtectedKeyRecord(identifier: key, enrolmentDigest: digest), rsaKey: rsaKey, state: state,
      isInvalidatedByNewBiometrics: isInvalidated, acceptsPasscode: acceptsPasscode, protection: protection)
  }
}

extension SecretProtection {
  fileprivate init?(reading reader: inout ObjectReader) {
    let kind = reader.choice("kind", of: SecretKind.allCases.map { ($0.rawValue, $0) })
    let verifier = reader.object("verifier") { SealedSecret(reading: &$0) }
    let failures = reader.integer("failures", in: 0...AttemptRecord.limit)
    let mark = reader.has("lastFailure") ? reader.object("lastFailure") { TimeMark(reading: &$0) } : nil
    if (failures > 0) != (mark != nil) {
      reader.note("failures", "wrong entries and the moment of the last one are needed")
    }
    // Version 2 counts no entries.
    let count = reader.has("count") ? UInt64(reader.text("count", characters: 1...20)) : 0
    if count == nil { reader.note("count", "a number of 0 to \(UInt64.max) is needed") }
    let seal = reader.has("seal") ? reader.octets("seal", 32...32) : nil
    guard let verifier, let count else { return nil }
    let attempts = mark.flatMap { failures > 0 ? AttemptRecord(failures: failures, lastFailure: $0) : nil }
    self.init(kind: kind, verifier: verifier, attempts: attempts ?? AttemptRecord(), count: count, seal: seal)
  }
}

extension TimeMark {
  init(reading reader: inout ObjectReader) {
    // A range in which the arithmetic of moments does not overflow: about 280 years.
    let range = 0...Int(Int64.max / 2)
    self.init(
      wall: WallTime(
        seconds: Int64(reader.integer("seconds", in: range)), milliseconds: reader.integer("milliseconds", in: 0...999)),
      sinceBoot: Instant(nanoseconds: Int64(reader.integer("sinceBoot", in: range))),
      boot: reader.text("boot", characters: 0...64))
  }
}

extension ObjectReader {
  /// Reads bytes in base64url; nil when they are absent or wrong.
  mutating func octets(_ key: String, _ range: ClosedRange<Int>) -> [UInt8]? {
    let octets = try? [UInt8](base64URL: text(key))
    if let octets, range.contains(octets.count) { return octets }
    note(key, "\(range.lowerBound) to \(range.upperBound) bytes in base64url are needed")
    return nil
  }

  mutating func key(_ key: String) -> KeyIdentifier? {
    octets(key, 1...64).flatMap { KeyIdentifier($0) }
  }
}
