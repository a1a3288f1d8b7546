internal import EMVDecoding
internal import ISO7816
internal import Octets
public import Transcripts

extension RecordingFormat {
  /// A packet capture (pcapng) of ISO/IEC 14443 frames: see `Transcript.pcapng`.
  public static let packetCapture = RecordingFormat(
    name: "pcapng", title: "packet capture", recognisesOctets: PacketCaptureReader.recognises,
    read: PacketCaptureReader.read, write: { $0.pcapng })
}

extension Transcript {
  /// The exchanges as a packet capture that Wireshark opens, unredacted: pcapng with link type 264,
  /// LINKTYPE_ISO_14443.
  ///
  /// Each APDU is one I-block. An APDU of more than 253 bytes is a chain of I-blocks, each acknowledged: frames have
  /// at most 256 bytes (FSDI 8), control byte and checksum included. Block numbers toggle (ISO/IEC 14443-4:2018,
  /// 7.5). Frames carry the checksum of type A. The directive `clock`, as if it were UTC since a recording has no time zone,
  /// is the time of the first frame, 1970 without it; the others follow by the directives `at` and `t`. Where a time is
  /// missing or goes back, the frame follows the one before by 1 ms.
  ///
  /// The first frame of each APDU has a comment with the command or response in words, with account numbers, track data and
  /// names masked.
  public var pcapng: [UInt8] { PacketCapture.octets(of: self) }
}

extension Transcript {
  /// The directive `clock` as nanoseconds since 1970, 0 without it.
  fileprivate var start: Int64 {
    guard let clock, let time = CalendarTime(clock.description) else { return 0 }
    return time.utc.seconds * 1_000_000_000
  }
}

/// Writes pcapng blocks (IETF draft-ietf-opsawg-pcapng, 4) with packets of LINKTYPE_ISO_14443 (tcpdump.org's list of
/// link types): byte 0 version, byte 1 event, bytes 2 and 3 length, big endian, then the frame.
private struct PacketCapture {
  private static let linkType: UInt16 = 264
  private static let blockCount = 253
  /// The most characters of a comment, whose length in UTF-8 has 16 bits. Words of data elements are ASCII, names of
  /// applications have at most three bytes a character.
  private static let commentCount = 16_000
  private static let millisecond: Int64 = 1_000_000

  private var octets: [UInt8] = []
  private var clock: Int64 = 0
  // The block number of the reader starts at 0 and toggles with each block. The card answers with the same number.
  private var number: UInt8 = 0
  private var context = DecodingContext()

  static func octets(of transcript: Transcript) -> [UInt8] {
    var capture = PacketCapture()
    let start = transcript.start
    capture.clock = start
    capture.begin()
    capture.packet(.fieldOn, [])
    for exchange in transcript.exchanges {
      capture.advance(to: exchange.arrival.map { $0.addingReportingOverflow(start + millisecond).partialValue })
      let sent = capture.clock
      capture.send(exchange.command, .toCard, capture.context.decoded(command: exchange.command))
      guard let response = exchange.response else { continue }
      capture.advance(to: exchange.nanoseconds.map { $0.addingReportingOverflow(sent).partialValue })
      capture.send(response, .fromCard, capture.context.decoded(response: response, to: exchange.command))
      capture.context.learn(command: exchange.command, response: response)
    }
    capture.advance(to: nil)
    capture.packet(.fieldOff, [])
    return capture.octets
  }

  private mutating func advance(to instant: Int64?) {
    if let instant, instant > clock {
      clock = instant
    } else {
      clock = clock.addingReportingOverflow(Self.millisecond).partialValue
    }
  }

  private mutating func send(_ apdu: [UInt8], _ event: CaptureEvent, _ words: DecodedNode) {
    var rest = apdu[...]
    var comment: String? = words.description
    repeat {
      let part = rest.prefix(Self.blockCount)
      rest = rest.dropFirst(part.count)
      let control = TransmissionBlock.informationControl(number: number, isChained: !rest.isEmpty)
      packet(event, FrameChecksum.added(to: [control] + part), comment)
      comment = nil
      if !rest.isEmpty {
        // The card acknowledges with the number of the reader's block, the reader with the next number.
        if event == .fromCard { number ^= 1 }
        packet(
          event == .toCard ? .fromCard : .toCard,
          FrameChecksum.added(to: [TransmissionBlock.acknowledgement(number: number)]))
        if event == .toCard { number ^= 1 }
      }
    } while !rest.isEmpty
    if event == .fromCard { number ^= 1 }
  }

  /// Writes the section header and the interface description, with times in nanoseconds (option if_tsresol 9).
  private mutating func begin() {
    block(0x0A0D_0D0A, little(UInt32(0x1A2B_3C4D)) + little(UInt16(1)) + little(UInt16(0)) + little(Int64(-1)))
    let resolution = little(UInt16(9)) + little(UInt16(1)) + [9, 0, 0, 0]
    block(1, little(Self.linkType) + little(UInt16(0)) + little(UInt32(0)) + resolution + little(UInt32(0)))
  }

  private mutating func packet(_ event: CaptureEvent, _ frame: ArraySlice<UInt8>, _ comment: String? = nil) {
    let data =
      [0, event.rawValue, UInt8(truncatingIfNeeded: frame.count >> 8), UInt8(truncatingIfNeeded: frame.count)] + frame
    let count = little(UInt32(truncatingIfNeeded: data.count))
    let time = little(UInt32(truncatingIfNeeded: clock >> 32)) + little(UInt32(truncatingIfNeeded: clock))
    block(6, little(UInt32(0)) + time + count + count + padded(data) + options(comment))
  }

  /// The option opt_comment, and the end of the options.
  private func options(_ comment: String?) -> [UInt8] {
    guard let comment else { return [] }
    let text = Array(comment.prefix(Self.commentCount).utf8)
    return little(UInt16(1)) + little(UInt16(text.count)) + padded(text) + little(UInt32(0))
  }

  private mutating func block(_ type: UInt32, _ body: [UInt8]) {
    let body = padded(body)
    let count = little(UInt32(truncatingIfNeeded: body.count + 12))
    octets += little(type) + count + body + count
  }

  private func padded(_ octets: [UInt8]) -> [UInt8] {
    octets + [UInt8](repeating: 0, count: (4 - octets.count % 4) % 4)
  }

  private func little(_ value: some FixedWidthInteger) -> [UInt8] {
    (0..<(value.bitWidth / 8)).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
