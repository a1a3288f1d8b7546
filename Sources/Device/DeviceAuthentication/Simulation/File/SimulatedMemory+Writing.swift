internal import JSON
internal import Octets

extension SimulatedMemory {
  /// The memory as JSON, with its secrets in clear.
  var json: JSONValue {
    // In a fixed order, so that equal memories are equal files.
    let sorted = keys.sorted { $0.key.octets.hex < $1.key.octets.hex }
    let sortedNotes = notes.sorted { $0.key < $1.key }.map { note in
      JSONValue(members: [("name", JSONValue(note.key)), ("octets", JSONValue(note.value.hex))])
    }
    return JSONValue(members: [
      ("version", JSONValue(StoredDevice.version)),
      ("identity", JSONValue(identity.hex)),
      ("hardware", hardware.json),
      ("passcode", passcode.map { JSONValue($0.hex) }),
      ("failedPasscodes", JSONValue(failedPasscodes)),
      ("passcodeUnlocksAt", JSONValue(Int(passcodeUnlocksAt))),
      ("enrolments", JSONValue(enrolments.map { JSONValue(Int(clamping: $0)) })),
      ("nextEnrolment", JSONValue(Int(clamping: nextEnrolment))),
      ("failedScans", JSONValue(failedScans)),
      ("lockEpoch", JSONValue(Int(clamping: epoch))),
      ("keys", JSONValue(sorted.map { $0.value.json(named: $0.key) })),
      ("notes", notes.isEmpty ? nil : JSONValue(sortedNotes)),
      ("nextKey", JSONValue(Int(clamping: nextKey))),
      ("clockAdvance", JSONValue(Int(clockAdvance))),
      ("dateCorrection", dateCorrection == 0 ? nil : JSONValue(Int(dateCorrection))),
      ("latestSecond", JSONValue(Int(latestSecond))),
    ])
  }
}

extension SimulatedDevice.Hardware {
  fileprivate var json: JSONValue {
    JSONValue(members: [
      ("sensor", hasSensor ? JSONValue(sensor.rawValue) : nil),
      ("sensorLocksAfter", sensorLocksAfter.map { JSONValue($0) }),
      ("passcodeLocksAfter", passcodeLocksAfter.map { JSONValue($0) }),
      ("passcodeLockSeconds", JSONValue(passcodeLockSeconds)),
      ("biometricsNeedPasscode", JSONValue(biometricsNeedPasscode)),
    ])
  }
}

extension SimulatedKey {
  fileprivate func json(named name: KeyIdentifier) -> JSONValue {
    JSONValue(members: [
      ("name", JSONValue(name.octets.hex)),
      ("kind", JSONValue(kind.text)),
      ("lockEpoch", JSONValue(Int(clamping: epoch.rawValue))),
      ("counter", counter.map { JSONValue(Int(clamping: $0)) }),
      ("octets", JSONValue(material.hex)),
    ])
  }
}

extension ProtectedKeyKind {
  var text: String {
    switch self {
    case .sealing: "sealing"
    case .signing: "signing"
    }
  }
}

extension SharedSecret {
  fileprivate var hex: String { octets.withExposedOctets { $0.hex } }
}
