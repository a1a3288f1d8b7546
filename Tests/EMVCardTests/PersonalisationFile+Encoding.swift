import EMVCard
import Octets

extension PersonalisationFile {
  /// The binary content. Traps when the data of a secret grouping were dropped.
  var encoded: [UInt8] { groupings.flatMap(\.encoded) }
}

extension DataGrouping {
  /// The bytes for a file. Traps when the data of the grouping were dropped.
  var encoded: [UInt8] {
    precondition(data.count == count, "the data of a secret grouping are not kept")
    let length = count < 0xFF ? [UInt8(count)] : [0xFF] + UInt16(count).bigEndianOctets
    return identifier.bigEndianOctets + length + data
  }
}
