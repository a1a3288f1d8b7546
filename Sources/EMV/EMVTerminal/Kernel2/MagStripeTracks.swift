internal import EMVCryptography
internal import EMVData
internal import ISO7816

// The tracks of a card in kernel 2's mag-stripe mode, and where the digits of a transaction go.
struct MagStripeTracks {
  let accountNumber: PrimaryAccountNumber
  let track2: [UInt8]
  let positions2: TrackPositions
  let track1: [UInt8]?
  let positions1: TrackPositions?
  // Tag 9F69, or nil.
  let udol: DataObjectList?

  // Mandatory are tags 9F6B, 9F65, 9F66 and 9F67, and with tag 56 also 9F62, 9F63 and 9F64; both tracks take as many
  // digits of the unpredictable number. No public document; open terminals agree.
  init(_ card: CardData) throws(StepFailure) {
    track2 = try Kernel2.required(.track2Data, 1...19, card, .decision)
    guard let data = Track2EquivalentData(track2) else {
      throw StepFailure(.decision, .malformed("tag 9F6B is no track 2"))
    }
    accountNumber = data.accountNumber
    positions2 = try Self.positions(
      .track2, (.cvc3PositionsTrack2, .numberPositionsTrack2, .counterDigitsTrack2), card)
    track1 = try Kernel2.optional(.track1Data, 1...76, card, .decision)
    positions1 =
      if track1 == nil { nil } else {
        try Self.positions(.track1, (.cvc3PositionsTrack1, .numberPositionsTrack1, .counterDigitsTrack1), card)
      }
    udol = try Self.udol(card)
    guard positions1 == nil || positions1?.unpredictableDigitCount == positions2.unpredictableDigitCount else {
      throw StepFailure(.decision, .trackNotFilled)
    }
  }

  private static func positions(
    _ track: TrackPositions.Track, _ tags: (cvc3: Tag, number: Tag, counter: Tag), _ card: CardData
  ) throws(StepFailure) -> TrackPositions {
    let count = track.bitmapCount
    let cvc3 = try Kernel2.required(tags.cvc3, count...count, card, .decision)
    let number = try Kernel2.required(tags.number, count...count, card, .decision)
    let counter = try Kernel2.required(tags.counter, 1...1, card, .decision)
    guard
      let positions = TrackPositions(
        track, cvc3: cvc3, unpredictableNumberAndCounter: number, counterDigits: counter[0])
    else { throw StepFailure(.decision, .trackNotFilled) }
    return positions
  }

  private static func udol(_ card: CardData) throws(StepFailure) -> DataObjectList? {
    guard let octets = try Kernel2.optional(.udol, 1...252, card, .decision) else { return nil }
    do throws(DataObjectList.Fault) {
      return try DataObjectList(parsing: octets)
    } catch { throw StepFailure(.decision, .malformed("tag 9F69: \(error)")) }
  }

  // The tracks with the digits of a transaction, or nil when they do not fit.
  func filled(_ data2: DynamicTrackData, _ data1: DynamicTrackData?) -> (track2: [UInt8], track1: [UInt8]?)? {
    guard let second = positions2.filled(track2, with: data2) else { return nil }
    guard let track1, let positions1, let data1 else { return (second, nil) }
    return positions1.filled(track1, with: data1).map { (second, $0) }
  }
}
