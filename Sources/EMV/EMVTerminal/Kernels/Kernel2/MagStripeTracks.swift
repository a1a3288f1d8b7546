internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

// The tracks of a card in kernel 2's mag-stripe mode, and the positions for the digits of a transaction.
struct MagStripeTracks {
  let accountNumber: PrimaryAccountNumber
  let track2: MagStripeTrack
  let track1: MagStripeTrack?
  // Tag 9F69, or nil.
  let udol: DataObjectList?

  // Mandatory are tags 9F6B, 9F65, 9F66 and 9F67, and with tag 56 also 9F62, 9F63 and 9F64; both tracks hold the same
  // number of digits of the unpredictable number. No public document; open terminals agree.
  init(_ card: CardData) throws(StepFailure) {
    let second = try card.required(.track2Data, 1...19, .decision)
    guard let data = Track2EquivalentData(second) else {
      throw StepFailure(.decision, .malformed("tag 9F6B is not track 2 data"))
    }
    accountNumber = data.accountNumber
    track2 = try Self.track(second, .track2, card)
    let first = try card.optional(.track1Data, 1...76, .decision)
    track1 = if let first { try Self.track(first, .track1, card) } else { nil }
    let octets = try card.optional(.udol, 1...252, .decision)
    udol = if let octets { try DataObjectList(octets, of: .udol, .decision) } else { nil }
    let count = track2.positions.unpredictableDigitCount
    guard track1?.positions.unpredictableDigitCount ?? count == count else {
      throw StepFailure(.decision, .trackNotFilled)
    }
  }

  private static func track(
    _ octets: [UInt8], _ track: TrackPositions.Track, _ card: CardData
  ) throws(StepFailure) -> MagStripeTrack {
    let (count, tags) = (track.bitmapCount, track.tags)
    let cvc3 = try card.required(tags.cvc3, count...count, .decision)
    let number = try card.required(tags.number, count...count, .decision)
    let counter = try card.required(tags.counter, 1...1, .decision)
    guard
      let positions = TrackPositions(
        track, cvc3: cvc3, unpredictableNumberAndCounter: number, counterDigits: counter[0])
    else { throw StepFailure(.decision, .trackNotFilled) }
    return MagStripeTrack(octets, positions)
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
    func filled(_ track: MagStripeTrack, _ tag: Tag) throws(StepFailure) -> [UInt8] {
      guard let filled = track.positions.filled(track.octets, with: try data(tag)) else {
        throw StepFailure(phase, .trackNotFilled)
      }
      return filled
    }
    let second = try filled(track2, .cvc3Track2)
    let first: [UInt8]? = if let track1 { try filled(track1, .cvc3Track1) } else { nil }
    return Filled(
      track2: second, track1: first, unpredictableNumber: unpredictableNumber, isVerifiedOnDevice: isVerified)
  }
}
