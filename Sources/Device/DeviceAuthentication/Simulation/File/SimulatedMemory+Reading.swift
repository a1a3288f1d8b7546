internal import Documents
internal import JSON
internal import Octets

extension SimulatedMemory {
  /// Numbers that can be raised without an overflow.
  private static let counts = 0...Int(1) << 52

  /// Reads a memory.
  ///
  /// - Throws: `.unknownVersion`, or `.damaged` with the first problem.
  init(reading octets: [UInt8], of path: String) throws(StoredDeviceError) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: octets)
    } catch { throw .damaged(path: path, reason: "\(error)") }
    if let version = value["version"]?.integer, !(1...StoredDevice.version).contains(version) {
      throw .unknownVersion(path: path, found: version)
    }
    var reader = ObjectReader(value)
    _ = reader.integer("version", in: 1...StoredDevice.version)
    self = Self.read(&reader)
    if let problem = reader.finish().first { throw .damaged(path: path, reason: "\(problem)") }
  }

  private static func read(_ reader: inout ObjectReader) -> SimulatedMemory {
    let identity = try? [UInt8](hex: reader.text("identity", characters: 16...16))
    if identity == nil { reader.note("identity", "hexadecimal digits are needed") }
    var memory = SimulatedMemory(
      hardware: reader.object("hardware") { hardware(&$0) }, identity: identity ?? [])
    memory.passcode = reader.optionalSecret("passcode")
    memory.failedPasscodes = reader.integer("failedPasscodes", in: counts)
    memory.passcodeUnlocksAt = Int64(reader.integer("passcodeUnlocksAt", in: counts))
    memory.enrolments = reader.list("enrolments") { element, place, reader in
      guard let number = element.integer, counts.contains(number) else {
        reader.note(place, "the number of an enrolment is needed")
        return nil
      }
      return UInt64(number)
    }
    memory.nextEnrolment = UInt64(reader.integer("nextEnrolment", in: counts))
    memory.failedScans = reader.integer("failedScans", in: counts)
    memory.epoch = UInt64(reader.integer("lockEpoch", in: counts))
    memory.nextKey = UInt64(reader.integer("nextKey", in: counts))
    memory.clockAdvance = Int64(reader.integer("clockAdvance", in: counts))
    memory.dateCorrection = Int64(reader.optionalInteger("dateCorrection", in: counts) ?? 0)
    memory.latestSecond = Int64(reader.integer("latestSecond", in: counts))
    let keys = reader.objects("keys") { key(&$0) }
    memory.keys = Dictionary(keys.compactMap(\.self)) { first, _ in first }
    let notes = reader.optionalObjects("notes") { note(&$0) } ?? []
    memory.notes = Dictionary(notes.compactMap(\.self)) { first, _ in first }
    if memory.notes.count != notes.count { reader.note("notes", "every note needs a name of its own and bytes") }
    if memory.keys.count != keys.count { reader.note("keys", "every key needs a name of its own and bytes") }
    return memory
  }

  private static func hardware(_ reader: inout ObjectReader) -> SimulatedDevice.Hardware {
    let sensor = reader.optionalChoice("sensor", of: BiometricKind.allCases.map { ($0.rawValue, $0) })
    return SimulatedDevice.Hardware(
      hasSensor: sensor != nil, sensor: sensor ?? .finger,
      sensorLocksAfter: reader.optionalInteger("sensorLocksAfter", in: 1...1_000_000),
      passcodeLocksAfter: reader.optionalInteger("passcodeLocksAfter", in: 1...1_000_000),
      passcodeLockSeconds: reader.integer("passcodeLockSeconds", in: 1...1_000_000_000),
      biometricsNeedPasscode: reader.flag("biometricsNeedPasscode"))
  }

  /// Reads a note; nil when its name or its bytes are wrong.
  private static func note(_ reader: inout ObjectReader) -> (String, [UInt8])? {
    let (name, text) = (reader.text("name", characters: 1...64), reader.text("octets", characters: 2...1_536))
    guard DeviceNote.isName(name), let octets = try? [UInt8](hex: text), !octets.isEmpty else { return nil }
    return (name, octets)
  }

  /// Reads a key; nil when its name or its bytes are wrong.
  private static func key(_ reader: inout ObjectReader) -> (KeyIdentifier, SimulatedKey)? {
    let name = (try? [UInt8](hex: reader.text("name", characters: 2...128))).flatMap { KeyIdentifier($0) }
    let kind = reader.choice("kind", of: ProtectedKeyKind.allCases.map { ($0.text, $0) })
    let epoch = LockEpoch(rawValue: UInt64(reader.integer("lockEpoch", in: counts)))
    let counter = reader.optionalInteger("counter", in: counts).map { UInt64($0) }
    guard let octets = reader.optionalSecret("octets"), octets.octets.count == 32, let name else { return nil }
    return (name, SimulatedKey(kind: kind, epoch: epoch, material: octets, counter: counter))
  }
}

extension ObjectReader {
  /// Reads hexadecimal digits of a secret; nil when it is absent or wrong.
  fileprivate mutating func optionalSecret(_ key: String) -> SharedSecret? {
    guard let text = optionalText(key, characters: 2...1024) else { return nil }
    guard let octets = try? [UInt8](hex: text), !octets.isEmpty else {
      note(key, "hexadecimal digits are needed")
      return nil
    }
    return SharedSecret(octets)
  }
}
