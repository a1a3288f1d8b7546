internal import ISO7816
internal import Octets
internal import Transcripts

/// Reads the frames of a packet capture: blocks of pcapng (IETF draft-ietf-opsawg-pcapng, 4) in either byte order, with
/// packets of LINKTYPE_ISO_14443 (tcpdump.org's list of link types, 264). Packets of other link types are left out.
enum PacketCaptureReader {
  private static let section: UInt32 = 0x0A0D_0D0A
  private static let orderMark: UInt32 = 0x1A2B_3C4D

  /// Returns whether bytes begin with a section header block.
  @Sendable
  static func recognises(_ octets: [UInt8]) -> Bool {
    guard octets.count >= 12, octets[0..<4] == [0x0A, 0x0D, 0x0D, 0x0A] else { return false }
    let mark = octets[8..<12].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    return mark == orderMark || mark == orderMark.byteSwapped
  }

  /// Reads a capture. Frames with a wrong checksum are ignored.
  ///
  /// - Throws: `TranscriptError` with the number of the block for a capture that is cut off or malformed, and for one
  ///   without a packet of ISO/IEC 14443.
  @Sendable
  static func read(_ octets: [UInt8]) throws(TranscriptError) -> RecordingContents {
    var builder = TranscriptBuilder()
    var blocks = BlockReader(octets: octets)
    var assembly = FrameAssembly { $0 }
    var interfaces: [CaptureInterface] = []
    var (frameCount, foreignCount) = (0, 0)
    while let block = try blocks.next() {
      switch block.type {
      case section: interfaces = []
      case 1: interfaces.append(try CaptureInterface(block))
      case 6:
        guard let packet = try CapturedPacket(block, interfaces) else {
          foreignCount += 1
          continue
        }
        frameCount += 1
        switch packet.content {
        // A card in a new field begins with block number 0.
        case .fieldOn: assembly = assembly.restarted()
        case .frame(let frame): try assembly.take(frame, &builder)
        case .other: break
        }
      default: break
      }
    }
    guard frameCount > 0 else {
      throw TranscriptError(
        .unexpected(
          found: "a capture with \(foreignCount.counted("packet")) of other link types",
          expected: "packets of ISO 14443, link type 264"), line: max(blocks.number, 1))
    }
    if foreignCount > 0 {
      builder.note("left out: \(foreignCount.counted("packet")) of other link types", line: blocks.number)
    }
    return builder.contents
  }

  /// A block without its lengths.
  struct Block {
    /// From 1.
    let number: Int
    let type: UInt32
    let body: ArraySlice<UInt8>
    let isBigEndian: Bool

    /// An unsigned number of the body; nil when the body ends before it.
    func number(_ count: Int, at offset: Int) -> UInt64? {
      guard offset >= 0, body.count - offset >= count else { return nil }
      let octets = body.dropFirst(offset).prefix(count)
      return isBigEndian
        ? octets.reduce(0) { $0 << 8 | UInt64($1) } : octets.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    func error(_ found: String, expected: String) -> TranscriptError {
      TranscriptError(.unexpected(found: "block \(number), \(found)", expected: expected), line: number)
    }
  }

  private struct BlockReader {
    let octets: [UInt8]
    private(set) var number = 0
    private var offset = 0
    private var isBigEndian = false

    init(octets: [UInt8]) { self.octets = octets }

    /// Reads the next block; nil at the end.
    mutating func next() throws(TranscriptError) -> Block? {
      let rest = octets[offset...]
      if rest.isEmpty { return nil }
      number += 1
      // The first number of a section header reads the same in both orders, and the mark in it states the order.
      if rest.starts(with: [0x0A, 0x0D, 0x0D, 0x0A]) { isBigEndian = rest.dropFirst(8).first == 0x1A }
      let whole = Block(number: number, type: 0, body: rest, isBigEndian: isBigEndian)
      guard let type = whole.number(4, at: 0), let count = whole.number(4, at: 4) else {
        throw whole.error("cut off after \(rest.count.bytes)", expected: "type and length")
      }
      guard count >= 12, count.isMultiple(of: 4), count <= UInt64(rest.count) else {
        throw whole.error("a length of \(count)", expected: "a multiple of 4, at least 12 and at most \(rest.count)")
      }
      offset += Int(count)
      return Block(
        number: number, type: UInt32(type), body: rest.dropFirst(8).prefix(Int(count) - 12), isBigEndian: isBigEndian)
    }
  }
}

/// An interface of a capture: the link type of its packets, and the unit of their times.
struct CaptureInterface {
  private static let iso14443: UInt64 = 264

  let isISO14443: Bool
  /// Units a second as the option if_tsresol states them: a power of ten, or with bit 8 one of two; microseconds without
  /// the option.
  private var resolution: UInt8 = 6

  init(_ block: PacketCaptureReader.Block) throws(TranscriptError) {
    guard let type = block.number(2, at: 0), block.body.count >= 8 else {
      throw block.error("an interface of \(block.body.count.bytes)", expected: "at least 8")
    }
    isISO14443 = type == Self.iso14443
    var offset = 8
    while let code = block.number(2, at: offset), let count = block.number(2, at: offset + 2), code != 0 {
      if code == 9, count == 1, let value = block.number(1, at: offset + 4) { resolution = UInt8(value) }
      offset += 4 + (Int(count) + 3) / 4 * 4
    }
  }

  /// A time in nanoseconds, at most that of the year 2262.
  func nanoseconds(_ units: UInt64) -> Int64 {
    let exponent = Int(resolution & 0x7F)
    let seconds = resolution & 0x80 != 0 ? exponentiated(2, exponent) : exponentiated(10, exponent)
    guard let seconds else { return 0 }
    let (quotient, rest) = units.quotientAndRemainder(dividingBy: seconds)
    let whole = quotient.multipliedReportingOverflow(by: 1_000_000_000)
    let part = seconds.dividingFullWidth(rest.multipliedFullWidth(by: 1_000_000_000)).quotient
    let sum = whole.partialValue.addingReportingOverflow(part)
    return whole.overflow || sum.overflow ? .max : Int64(clamping: sum.partialValue)
  }

  private func exponentiated(_ base: UInt64, _ exponent: Int) -> UInt64? {
    var result: UInt64 = 1
    for _ in 0..<exponent {
      let (product, overflow) = result.multipliedReportingOverflow(by: base)
      if overflow { return nil }
      result = product
    }
    return result
  }
}

/// A packet of an ISO/IEC 14443 interface: byte 0 version, byte 1 event, bytes 2 and 3 length, big endian, then the frame.
private struct CapturedPacket {
  enum Content {
    case frame(ImportedFrame)
    case fieldOn
    case other
  }

  let content: Content

  /// Reads an enhanced packet block; nil for a packet of another link type.
  init?(_ block: PacketCaptureReader.Block, _ interfaces: [CaptureInterface]) throws(TranscriptError) {
    guard let index = block.number(4, at: 0), let high = block.number(4, at: 4), let low = block.number(4, at: 8),
      let count = block.number(4, at: 12), block.body.count >= 20, index < UInt64(interfaces.count),
      count <= UInt64(block.body.count - 20)
    else { throw block.error("a packet of \(block.body.count.bytes)", expected: "its interface, time and length") }
    let interface = interfaces[Int(index)]
    guard interface.isISO14443 else { return nil }
    let data = block.body.dropFirst(20).prefix(Int(count))
    guard count >= 4, let event = data.dropFirst().first else {
      throw block.error("a packet of \(Int(count).bytes)", expected: "at least 4")
    }
    let time = interface.nanoseconds(high << 32 | low)
    let octets = data.dropFirst(4)
    func frame(isOfCard: Bool, _ octets: ArraySlice<UInt8>) throws(TranscriptError) -> Content {
      guard octets.count <= ImportedFrame.maximumCount else {
        throw block.error("a frame of \(octets.count.bytes)", expected: "at most \(ImportedFrame.maximumCount)")
      }
      return .frame(ImportedFrame(record: block.number, isOfCard: isOfCard, octets: octets, start: time, end: time))
    }
    switch CaptureEvent(rawValue: event) {
    case .toCard: content = try frame(isOfCard: false, octets)
    case .fromCard: content = try frame(isOfCard: true, octets)
    case .toCardWithoutChecksum: content = try frame(isOfCard: false, FrameChecksum.added(to: octets))
    case .fromCardWithoutChecksum: content = try frame(isOfCard: true, FrameChecksum.added(to: octets))
    case .fieldOn: content = .fieldOn
    case .fieldOff, nil: content = .other
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
