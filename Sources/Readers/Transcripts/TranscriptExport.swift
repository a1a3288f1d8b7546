internal import Octets

extension Transcript {
  /// The commands as a script for scriptor (pcsc-tools), unredacted: it sends them to a card.
  ///
  /// Header lines and the recorded answers are comments, `# < <hex>`, so that reading the script gives the exchanges
  /// back; directives are left out.
  public var scriptor: String {
    var lines = ["# scriptor script"] + notes.filter { $0.key == nil }.map(\.line) + ["reset"]
    for exchange in exchanges {
      lines.append(exchange.command.spacedHex)
      if let response = exchange.response { lines.append("# < \(response.spacedHex)") }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// The exchanges as a packet capture that Wireshark opens, unredacted: pcapng with link type 264,
  /// LINKTYPE_ISO_14443.
  ///
  /// Each APDU is one I-block, or a chain of them when it is longer than 253 octets (frames of 256, the longest of
  /// FSDI 8, with control octet and checksum), each acknowledged; block numbers toggle (ISO/IEC 14443-4:2018, 7.5).
  /// Frames carry the checksum of type A. Times are those of the directives `at` and `t`, from 1970 on; where they
  /// are missing, or go backwards, frames follow each other by 1 ms.
  public var pcapng: [UInt8] { PacketCapture.octets(of: self) }
}

extension [UInt8] {
  fileprivate var spacedHex: String { map { [$0].hex }.joined(separator: " ") }
}
