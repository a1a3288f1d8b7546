internal import Octets
internal import Transcripts

/// An interface of a capture: the link type of its packets, and the unit of their times.
struct CaptureInterface {
  let linkType: UInt64
  /// Units a second as the option if_tsresol states them: a power of ten, or with bit 8 one of two; microseconds without
  /// the option.
  private var resolution: UInt8 = 6

  init(_ block: PacketCaptureReader.Block) throws(TranscriptError) {
    guard let type = block.number(2, at: 0), block.body.count >= 8 else {
      throw block.error("an interface of \(block.body.count.bytes)", expected: "at least 8")
    }
    linkType = type
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

/// A packet of a capture.
struct CapturedPacket {
  /// The number of its block or record, from 1.
  let number: Int
  /// The link type (tcpdump.org's list).
  let linkType: UInt64
  let octets: ArraySlice<UInt8>
  /// The time in nanoseconds.
  let time: Int64

  init(number: Int, linkType: UInt64, octets: ArraySlice<UInt8>, time: Int64) {
    (self.number, self.linkType, self.octets, self.time) = (number, linkType, octets, time)
  }

  /// Reads an enhanced packet block.
  init(_ block: PacketCaptureReader.Block, _ interfaces: [CaptureInterface]) throws(TranscriptError) {
    guard let index = block.number(4, at: 0), let high = block.number(4, at: 4), let low = block.number(4, at: 8),
      let count = block.number(4, at: 12), block.body.count >= 20, index < UInt64(interfaces.count),
      count <= UInt64(block.body.count - 20)
    else { throw block.error("a packet of \(block.body.count.bytes)", expected: "its interface, time and length") }
    let interface = interfaces[Int(index)]
    self.init(
      number: block.number, linkType: interface.linkType, octets: block.body.dropFirst(20).prefix(Int(count)),
      time: interface.nanoseconds(high << 32 | low))
  }

  func error(_ found: String, expected: String) -> TranscriptError {
    TranscriptError(.unexpected(found: "block \(number), \(found)", expected: expected), line: number)
  }
}
