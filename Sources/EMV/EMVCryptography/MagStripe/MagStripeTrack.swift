public import EMVData
internal import Octets

/// A track of a card in mag-stripe mode before a terminal writes digits into it.
public struct MagStripeTrack: Sendable, ContentConcealing {
  /// The bytes: tag 56 for track 1, 9F6B for track 2.
  public let octets: [UInt8]
  /// The positions where a terminal writes digits: tags 9F62 to 9F67.
  public let positions: TrackPositions

  /// Creates a track.
  public init(_ octets: [UInt8], _ positions: TrackPositions) {
    self.octets = octets
    self.positions = positions
  }

  /// The number of bytes.
  public var description: String { "track of \(octets.count.bytes)" }
}
