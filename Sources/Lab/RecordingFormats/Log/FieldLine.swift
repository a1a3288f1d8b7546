/// The fields of a command and of its response by name, as apdutool of the Java Card kit prints them:
/// `CLA: 00, INS: a4, P1: 04, P2: 00, Lc: 02, 3f, 00, Le: 00, SW1: 90, SW2: 00`.
enum FieldLine {
  private static let header = ["CLA", "INS", "P1", "P2"]

  /// Returns the command of a line with its fields alone: `CLA=00 INS=B2 P1=01 P2=0C Le=00`; nil for another line.
  static func command(_ line: [UInt8]) -> [UInt8]? {
    guard let start = line.firstRange(of: Array("CLA".utf8))?.lowerBound else { return nil }
    var fields: [String: [UInt8]] = [:]
    for field in line[start...].split(whereSeparator: { $0 == 0x20 || $0 == 0x2C }) {
      let parts = field.split(whereSeparator: { $0 == 0x3D || $0 == 0x3A }).map { String(decoding: $0, as: UTF8.self) }
      guard parts.count == 2, let octets = HexadecimalRun(wholeText: parts[1])?.octets else { return nil }
      fields[parts[0]] = octets
    }
    let data = fields["Data"] ?? fields["DATA"] ?? []
    guard header.allSatisfy({ fields[$0]?.count == 1 }), fields["SW1"] == nil,
      fields["Lc"].map({ $0 == [UInt8(truncatingIfNeeded: data.count)] }) ?? data.isEmpty
    else { return nil }
    return (header + ["Lc"]).flatMap { fields[$0] ?? [] } + data + (fields["Le"] ?? [])
  }

  /// Returns the bytes of both; nil for another line.
  static func octets(_ line: [UInt8]) -> (command: [UInt8], response: [UInt8])? {
    guard let start = line.firstRange(of: Array("CLA: ".utf8))?.lowerBound else { return nil }
    var fields: [String: [UInt8]] = [:]
    var name = ""
    for field in line[start...].split(separator: 0x2C) {
      let parts = field.split(separator: 0x3A).map { String(decoding: $0, as: UTF8.self).filter { $0 != " " } }
      if parts.count == 2 { name = parts[0] }
      guard let digits = parts.last, digits.utf8.count == 2, let octet = UInt8(digits, radix: 16) else { return nil }
      fields[name, default: []].append(octet)
    }
    guard let status = fields["SW1"], let second = fields["SW2"], let length = fields["Lc"],
      header.allSatisfy({ fields[$0]?.count == 1 }), Int(length[0]) == length.count - 1
    else { return nil }
    return (header.flatMap { fields[$0] ?? [] } + length, Array((fields["Le"] ?? []).dropFirst()) + status + second)
  }
}
