/// A packet between a phone and its NFC chip (NFC Forum NCI 2.2, 3.4), as Android writes it: `NxpNciX : len = 8 > 000005…`.
/// X is sent to the chip, R is received from it.
struct NCIPacket {
  let label: LogLabel
  /// The command or response that the packet carries; nil for a message to the chip itself, and for a part of a longer one.
  let octets: [UInt8]?

  /// Reads a line; nil for any other.
  init?(_ line: [UInt8]) {
    guard let name = line.firstRange(of: Array("NciX".utf8)) ?? line.firstRange(of: Array("NciR".utf8)),
      let run = HexadecimalRun.all(in: line, from: name.upperBound).last, run.octets.count >= 3
    else { return nil }
    let isSent = line[name.upperBound - 1] == UInt8(ascii: "X")
    label = LogLabel(ofChip: isSent ? .command : .response)
    // A data packet of the first connection, whole: message type 0, packet boundary flag 0.
    let isData = run.octets[0] == 0 && run.octets[1] == 0 && Int(run.octets[2]) == run.octets.count - 3
    octets = isData && run.octets.count > 4 ? Array(run.octets.dropFirst(3)) : nil
  }
}
