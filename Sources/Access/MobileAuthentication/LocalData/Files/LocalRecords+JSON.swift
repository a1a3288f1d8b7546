public import DeviceAuthentication
public import Documents
internal import FIDOUAF
internal import JOSE
public import JSON
internal import Octets

// The file of the local data. No object of it has a member that its table does not name.
extension LocalRecords: JSONMessage {
  /// The members in the file.
  public static let fields = MessageTable(
    Self.init(version:firstVersion:shared:identities:accounts:registrations:wallets:),
    .number("version", \.version, 1...FileLocalData.version),
    .text("firstRegistrationVersion", \.firstRegistrationVersion, 1...64),
    .value("device", \.sharedDevice),
    .filledList("identities", \.identities),
    .list("accounts", \.accounts),
    .list("registrations", \.registrations),
    .filledList("wallets", \.wallets)
  ).closed

  private var version: Int { FileLocalData.version }
  // In the files of older versions only.
  private var sharedDevice: SharedDevice? { nil }

  /// Every server has the one identity that the file of an older version has.
  private init(
    version: Int, firstVersion: String?, shared: SharedDevice?, identities: [DeviceRecord], accounts: [AccountRecord],
    registrations: [RegistrationRecord], wallets: [WalletRecord]
  ) {
    self.init(
      firstRegistrationVersion: firstVersion, identities: identities, accounts: accounts, registrations: registrations,
      wallets: wallets)
    guard let shared else { return }
    for server in accounts.map(\.account.server) + wallets.map(\.server) { adopt(.shared(shared, at: server)) }
  }

  /// Reads the bytes of a file.
  ///
  /// - Throws: `.damaged` with all problems and their places; `.newer` for a file of a newer version.
  init(reading octets: [UInt8], of path: String) throws(LocalDataError) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: octets)
    } catch { throw .damaged(path: path, reason: "\(error)") }
    if let version = value["version"]?.integer, version > FileLocalData.version {
      throw .newer(path: path, found: version)
    }
    do throws(DocumentError) {
      try self.init(value)
    } catch {
      throw .damaged(path: path, reason: error.problems.map(\.description).joined(separator: "; "))
    }
  }

  /// The text of a file.
  var fileText: String { json.pretty + "\n" }
}

extension DeviceRecord: JSONMessage {
  /// The members in the file.
  public static let fields = MessageTable(
    {
      DeviceRecord(
        server: $0, information: DeviceInformation(name: $1, deviceId: $2, pushToken: $3), signatureKey: $4,
        encryptionKey: $5, isShared: $6)
    },
    .text("server", \.server, 1...1_024),
    .text("name", \.information.name, 1...256),
    .text("deviceId", \.information.deviceId, 1...256),
    .text("pushToken", \.information.pushToken, 1...4_096),
    .value("signatureKey", \.signatureKey),
    .value("encryptionKey", \.encryptionKey),
    .raisedFlag("isShared", \.isShared)
  ).closed
}

extension SharedDevice: JSONMessage {
  /// The members in the file.
  static let fields = MessageTable(
    {
      SharedDevice(
        information: DeviceInformation(name: $0, deviceId: $1, pushToken: $2), signatureKey: $3, encryptionKey: $4)
    },
    .text("name", \.information.name, 1...256),
    .text("deviceId", \.information.deviceId, 1...256),
    .text("pushToken", \.information.pushToken, 1...4_096),
    .value("signatureKey", \.signatureKey),
    .value("encryptionKey", \.encryptionKey)
  ).closed
}

extension AccountRecord: JSONMessage {
  /// The members in the file.
  public static let fields = MessageTable(
    {
      AccountRecord(
        account: Account(username: $0, server: $1), dispatchTarget: $2, formerDeviceID: $3, acceptedAuthenticators: $4)
    },
    .text("username", \.account.username, 1...128),
    .text("server", \.account.server, 1...1_024),
    .text("dispatchTarget", \.dispatchTarget, 1...512),
    .text("formerDeviceId", \.formerDeviceID, 1...256),
    .list("acceptedAuthenticators", \.acceptedAuthenticators)
  ).closed
}

extension RegistrationRecord: JSONMessage {
  /// The members in the file.
  public static let fields = MessageTable(
    {
      RegistrationRecord(
        account: Account(username: $0, server: $1), aaid: $2, keyID: $3, appID: $4,
        key: ProtectedKeyRecord(identifier: $5, enrolmentDigest: $7), rsaKey: $6, state: $8,
        isInvalidatedByNewBiometrics: $9, acceptsPasscode: $10, protection: $11)
    },
    .text("username", \.account.username, 1...128),
    .text("server", \.account.server, 1...1_024),
    .value("aaid", \.aaid),
    .value("keyID", \.keyID),
    .text("appID", \.appID, 0...512),
    .value("key", \.key.identifier),
    .value("rsaKey", \.rsaKey),
    .octets("enrolmentDigest", \.key.enrolmentDigest, 0...32),
    .choice("state", \.state),
    .flag("isInvalidatedByNewBiometrics", \.isInvalidatedByNewBiometrics),
    .flag("acceptsPasscode", \.acceptsPasscode),
    .value("protection", \.protection)
  ).closed

  /// Checks what the members say together.
  public func check(_ reader: StrictReader) throws(DocumentError) {
    if let rsaKey, rsaKey.sealingKey != key.identifier { throw reader.error("rsaKey", "the member key must seal it") }
  }
}

extension SecretProtection: JSONMessage {
  /// The members in the file.
  public static let fields = MessageTable(
    {
      let attempts = $2 > 0 ? $3.map { [failures = $2] in AttemptRecord(failures: failures, lastFailure: $0) } : nil
      return SecretProtection(
        kind: $0, verifier: $1, attempts: attempts ?? AttemptRecord(), count: $4, seal: $5)
    },
    .choice("kind", \.kind),
    .value("verifier", \.verifier),
    .number("failures", \.attempts.failures, 0...AttemptRecord.limit),
    .value("lastFailure", \.attempts.lastFailure),
    entryCount,
    .octets("seal", \.seal, 32...32)
  ).closed

  // Version 2 counts no entries.
  private static let entryCount = MessageField.custom(
    "count", \SecretProtection.count,
    read: { (reader: StrictReader) throws(DocumentError) -> UInt64 in
      guard let text = try reader.optionalText("count", 1...20) else { return 0 }
      guard let count = UInt64(text) else { throw reader.error("count", "a number of 0 to \(UInt64.max) is needed") }
      return count
    }, json: { JSONValue(String($0)) })

  /// Checks what the members say together.
  public func check(_ reader: StrictReader) throws(DocumentError) {
    let isMarked = try reader.optionalValue("lastFailure", TimeMark.init(_:at:)) != nil
    guard try (reader.number("failures", 0...AttemptRecord.limit) > 0) == isMarked else {
      throw reader.error("failures", "wrong entries and the moment of the last one are needed")
    }
  }
}

extension SealedSecret: JSONMessage {
  /// The members in the file.
  public static let fields = MessageTable(
    Self.init(sealingKey:box:),
    .value("sealingKey", \.sealingKey),
    .octets("box", \.box, 29...4_096)
  ).closed
}

extension TimeMark: JSONMessage {
  // A range in which the arithmetic of moments does not overflow: about 280 years.
  private static let range = 0...Int(Int64.max / 2)

  /// The members in the file.
  public static let fields = MessageTable(
    {
      TimeMark(
        wall: WallTime(seconds: $0, milliseconds: $1), sinceBoot: Instant(nanoseconds: $2), boot: $3)
    },
    .number("seconds", \.wall.seconds, range),
    .number("milliseconds", \.wall.milliseconds, 0...999),
    .number("sinceBoot", \.sinceBoot.nanoseconds, range),
    .text("boot", \.boot, 0...64)
  ).closed
}

extension KeyIdentifier: MessageValue {
  /// Reads base64url.
  public init(_ json: JSONValue, at path: String) throws(DocumentError) {
    guard let key = KeyIdentifier(try StrictReader.octets(json, 1...64, at: path)) else {
      throw DocumentError(path, at: json.position, "a name of 1 to 64 bytes is needed")
    }
    self = key
  }

  /// The name in base64url.
  public var json: JSONValue { JSONValue(octets.base64URL) }
}
