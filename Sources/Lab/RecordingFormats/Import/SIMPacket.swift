internal import ISO7816

/// A SIM exchange in GSMTAP (Osmocom): a UDP packet to port 4729 with a header whose type is 4, then the command and the
/// response without a border.
enum SIMPacket {
  /// Returns command and response; nil for another packet.
  static func apdus(_ packet: CapturedPacket) -> (command: [UInt8], response: [UInt8])? {
    guard let datagram = datagram(packet), datagram.count >= 16 else { return nil }
    // Byte 1 is the length of the header in words, byte 2 the type.
    let header = Array(datagram.prefix(4))
    guard header[0] == 2, header[2] == 4, datagram.count > Int(header[1]) * 4 else { return nil }
    return split(Array(datagram.dropFirst(Int(header[1]) * 4)))
  }

  /// The data of a UDP packet to the port of GSMTAP, over Ethernet (1), IP (101, 228) or Linux's cooked header (113).
  private static func datagram(_ packet: CapturedPacket) -> ArraySlice<UInt8>? {
    guard let start = [1: 14, 101: 0, 228: 0, 113: 16][packet.linkType] else { return nil }
    let network = packet.octets.dropFirst(start)
    guard network.count > 28, let version = network.first, version >> 4 == 4 else { return nil }
    let header = Array(network.prefix(24))
    let transport = network.dropFirst(Int(version & 0x0F) * 4)
    let ports = Array(transport.prefix(4))
    guard header[9] == 17, transport.count > 8, ports.count == 4, Int(ports[2]) << 8 | Int(ports[3]) == 4729 else {
      return nil
    }
    return transport.dropFirst(8)
  }

  /// Splits a command and the response that follows it: P3 is the length of the command data when there are as many and a
  /// status word after them, else the length of the response.
  private static func split(_ octets: [UInt8]) -> (command: [UInt8], response: [UInt8])? {
    guard octets.count >= 7 else { return nil }
    let count = Int(octets[4])
    // Instructions without response data: SELECT, STATUS with data, UPDATE and others send P3 bytes.
    let sendsData: Set<UInt8> = [0xA4, 0xD6, 0xDC, 0x20, 0x24, 0x26, 0x28, 0x2C, 0x88, 0x10, 0x14, 0xC2, 0xA2]
    let border = sendsData.contains(octets[1]) ? 5 + count : 5
    guard octets.count >= border + 2 else { return nil }
    return (Array(octets[..<border]), Array(octets[border...]))
  }
}
