public import Octets

/// The answer to select (ATS): the parameters that a contactless card of type A sends in response to RATS
/// (ISO/IEC 14443-4:2018, 5.2).
public struct AnswerToSelect: Equatable, Sendable {
  /// The frame size in bytes for each FSCI and FSDI (ISO/IEC 14443-4:2018, tables 1 and 3).
  private static let frameSizes = [16, 24, 32, 40, 48, 64, 96, 128, 256, 512, 1024, 2048, 4096]

  /// FSC: the largest frame that the card receives, in bytes.
  public let frameSize: Int
  /// FWI: the frame waiting time is 2^FWI x 302 us. 4 when the ATS does not have it; 15 is reserved and read as 4.
  public let frameWaitingInteger: Int
  /// The historical bytes.
  public let historicalBytes: [UInt8]

  /// Reads an ATS including the length byte TL.
  ///
  /// - Throws: `OctetsError` when TL is wrong or bytes are missing.
  public init(parsing octets: Span<UInt8>) throws(OctetsError) {
    var cursor = Cursor(octets)
    let stated = Int(try cursor.octet())
    guard stated == octets.count else {
      throw stated > octets.count
        ? OctetsError(.truncated(needed: stated, available: octets.count), at: 0)
        : OctetsError(.trailing(count: octets.count - stated), at: stated)
    }
    let format = cursor.isAtEnd ? 0x02 : try cursor.octet()
    frameSize = Self.frameSize(format)
    if format & 0x10 != 0 { try cursor.skip(1) }
    let waiting = format & 0x20 != 0 ? try cursor.octet() : 0x40
    frameWaitingInteger = waiting >> 4 == 15 ? 4 : Int(waiting >> 4)
    if format & 0x40 != 0 { try cursor.skip(1) }
    historicalBytes = try cursor.take(cursor.remaining).array
  }

  /// Returns the frame size, in bytes, of an FSCI or FSDI, which is the low nibble; values above 12 are reserved and
  /// read as 12.
  package static func frameSize(_ integer: UInt8) -> Int { frameSizes[min(Int(integer & 0x0F), frameSizes.count - 1)] }

  /// The frame waiting time (ISO/IEC 14443-4:2018, 7.2).
  public var frameWaitingTime: Duration { Self.frameWaitingTime(frameWaitingInteger) }

  /// The frame waiting time of an FWI of 0 to 14 (ISO/IEC 14443-4:2018, 7.2).
  package static func frameWaitingTime(_ integer: Int) -> Duration {
    // 256 x 16 / 13.56 MHz is 302.065 us.
    .nanoseconds(302_065 * (1 << integer))
  }
}
