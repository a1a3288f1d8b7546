internal import ISO7816
internal import Octets
internal import Transcripts

/// A packet of LINKTYPE_ISO_14443 (264): byte 0 version, byte 1 event, bytes 2 and 3 length, big endian, then the frame.
enum CapturedFrame {
  case frame(ImportedFrame)
  case fieldOn
  case other

  init(_ packet: CapturedPacket) throws(TranscriptError) {
    guard packet.octets.count >= 4, let event = packet.octets.dropFirst().first else {
      throw packet.error("a packet of \(packet.octets.count.bytes)", expected: "at least 4")
    }
    let octets = packet.octets.dropFirst(4)
    func frame(isOfCard: Bool, _ octets: ArraySlice<UInt8>) throws(TranscriptError) -> CapturedFrame {
      guard octets.count <= ImportedFrame.maximumCount else {
        throw packet.error("a frame of \(octets.count.bytes)", expected: "at most \(ImportedFrame.maximumCount)")
      }
      return .frame(
        ImportedFrame(
          record: packet.number, isOfCard: isOfCard, octets: octets, start: packet.time, end: packet.time))
    }
    switch CaptureEvent(rawValue: event) {
    case .toCard: self = try frame(isOfCard: false, octets)
    case .fromCard: self = try frame(isOfCard: true, octets)
    case .toCardWithoutChecksum: self = try frame(isOfCard: false, FrameChecksum.added(to: octets))
    case .fromCardWithoutChecksum: self = try frame(isOfCard: true, FrameChecksum.added(to: octets))
    case .fieldOn: self = .fieldOn
    case .fieldOff, nil: self = .other
    }
  }
}

/// The events of LINKTYPE_ISO_14443.
enum CaptureEvent: UInt8 {
  case toCardWithoutChecksum = 0xFA
  case fromCardWithoutChecksum = 0xFB
  case fieldOn = 0xFC
  case fieldOff = 0xFD
  case toCard = 0xFE
  case fromCard = 0xFF
}
