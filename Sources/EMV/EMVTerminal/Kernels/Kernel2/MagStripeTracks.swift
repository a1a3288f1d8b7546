internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

// The tracks of a card in kernel 2's mag-stripe mode, and the positions for the digits of a transaction.
struct MagStripeTracks {
  let accountNumber: PrimaryAccountNumber
  let track2: [UInt8]
  let positions2: TrackPositions
  let track1: [UInt8]?
  let positions1: TrackPositions?
  // Tag 9F69, or nil.
  let udol: DataObjectList?

  // Mandatory are tags 9F6B, 9F65, 9F66 and 9F67, and with tag 56 also 9F62, 9F63 and 9F64; both tracks hold the same
  // number of digits of the unpredictable number. No public document; open terminals agree.
  init(_ card: CardData) throws(StepFailure) {
    track2 = try card.required(.track2Data, 1...19, .decision)
    guard let data = Track2EquivalentData(track2) else {
      throw StepFailure(.decision, .malformed("tag 9F6B is not track 2 data"))
    }
    accountNumber = data.accountNumber
    positions2 = try Self.positions(
      .track2, (.cvc3PositionsTrack2, .numberPositionsTrack2, .counterDigitsTrack2), card)
    track1 = try card.optional(.track1Data, 1...76, .decision)
    positions1 =
      if track1 == nil { nil } else {
        try Self.positions(.track1, (.cvc3PositionsTrack1, .numberPositionsTrack1, .counterDigitsTrack1), card)
      }
    let octets = try card.optional(.udol, 1...252, .decision)
    udol = if let octets { try DataObjectList(octets, of: .udol, .decision) } else { nil }
    guard positions1 == nil || positions1?.unpredictableDigitCount == positions2.unpredictableDigitCount else {
      throw StepFailure(.decision, .trackNotFilled)
    }
  }

  private static func positions(
    _ track: TrackPositions.Track, _ tags: (cvc3: Tag, number: Tag, counter: Tag), _ card: CardData
  ) throws(StepFailure) -> TrackPositions {
    let count = track.bitmapCount
    let cvc3 = try card.required(tags.cvc3, count...count, .decision)
    let number = try card.required(tags.number, count...count, .decision)
    let counter = try card.required(tags.counter, 1...1, .decision)
    guard
      let positions = TrackPositions(
        track, cvc3: cvc3, unpredictableNumberAndCounter: number, counterDigits: counter[0])
    else { throw StepFailure(.decision, .trackNotFilled) }
    return positions
  }

  // The tracks with the digits of a transaction.
  struct Filled {
    let track2: [UInt8]
    let track1: [UInt8]?
    let unpredictableNumber: UInt32
    let isVerifiedOnDevice: Bool
  }

  // Fills the tracks from the card's response to COMPUTE CRYPTOGRAPHIC CHECKSUM.
  func filled(_ card: CardData, _ unpredictableNumber: UInt32) throws(StepFailure) -> Filled {
    let phase = TransactionPhase.computeChecksum
    let isVerified = try card.interaction(phase)?.contains(.cvmSuccessful) == true
    func number(_ tag: Tag) throws(StepFailure) -> UInt16 {
      UInt16(bigEndian: try card.required(tag, 2...2, phase)) ?? 0
    }
    let counter = try number(.applicationTransactionCounter)
    func data(_ tag: Tag) throws(StepFailure) -> DynamicTrackData {
      DynamicTrackData(
        cvc3: CVC3(try number(tag)), unpredictableNumber: unpredictableNumber, atc: counter,
        isVerifiedOnDevice: isVerified)
    }
    func filled(_ track: [UInt8], _ positions: TrackPositions, _ tag: Tag) throws(StepFailure) -> [UInt8] {
      guard let filled = positions.filled(track, with: try data(tag)) else { throw StepFailure(phase, .trackNotFilled) }
      return filled
    }
    let second = try filled(track2, positions2, .cvc3Track2)
    let first: [UInt8]? =
      if let track1, let positions1 { try filled(track1, positions1, .cvc3Track1) } else { nil }
    return Filled(
      track2: second, track1: first, unpredictableNumber: unpredictableNumber, isVerifiedOnDevice: isVerified)
  }
}
