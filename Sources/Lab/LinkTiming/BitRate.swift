/// The bit rate of the air interface, in both directions.
public enum BitRate: String, Hashable, Sendable, CaseIterable {
  case kbit106 = "106k"
  case kbit212 = "212k"
  case kbit424 = "424k"
  case kbit848 = "848k"

  /// How often faster than 106 kbit/s.
  private var factor: Int64 {
    switch self {
    case .kbit106: 1
    case .kbit212: 2
    case .kbit424: 4
    case .kbit848: 8
    }
  }

  /// The time of some bits.
  private func bits(_ count: Int) -> TimeRange {
    TimeRange(CarrierCycles.time(Int64(count) * Int64(LinkConstants.etu.number) / factor))
  }

  /// A frame of the reader, CRC included.
  func readerFrame(_ bytes: Int) -> TimeRange {
    bits(bytes * LinkConstants.byteBits.number + LinkConstants.frameBits.number)
  }

  /// A frame of the card, CRC included.
  func cardFrame(_ bytes: Int) -> TimeRange {
    readerFrame(bytes) + (self == .kbit106 ? .zero : LinkConstants.fastFrameStart.time)
  }

  /// WUPA, which has seven bits.
  var wakeUp: TimeRange { bits(LinkConstants.shortFrameBits.number) }
}
