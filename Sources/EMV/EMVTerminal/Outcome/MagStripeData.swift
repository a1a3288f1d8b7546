internal import EMVCryptography
internal import EMVData
internal import ISO7816
internal import Octets

/// What a host needs to check a payment in kernel 2's mag-stripe mode.
public struct MagStripeData: Hashable, Sendable {
  /// Tag 9F6B with the digits of the transaction written in, one digit a nibble: what goes where a stripe's track 2
  /// went.
  public let track2: [UInt8]
  /// Tag 56 with the digits written in, ASCII; nil when the card has no track 1.
  public let track1: [UInt8]?
  /// Tag 9F61.
  public let cvc3Track2: UInt16
  /// Tag 9F60; nil when the card has no track 1.
  public let cvc3Track1: UInt16?
  /// Tag 9F6A: eight decimal digits, one digit a nibble.
  public let unpredictableNumber: UInt32
  /// How many digits of it the tracks take: nUN. The last digit of a track says it, plus 5 after a verification on the
  /// device.
  public let unpredictableDigitCount: Int
  /// Tag 9F36.
  public let transactionCounter: UInt16
  /// Whether the card says that the device verified its holder: tag DF4B octet 2 bit 5.
  public let isVerifiedOnDevice: Bool

  init(_ card: CardData, _ computation: TerminalTransaction.Computation) throws(StepFailure) {
    let phase = TransactionPhase.computeChecksum
    func number(_ tag: Tag) throws(StepFailure) -> UInt16 {
      UInt16(bigEndian: try Kernel2.required(tag, 2...2, card, phase)) ?? 0
    }
    let interaction = try Kernel2.optional(.cardholderInteraction, 3...3, card, phase)
      .flatMap { POSCardholderInteractionInformation(octets: $0) }
    isVerifiedOnDevice = interaction?.contains(.cvmSuccessful) == true
    transactionCounter = try number(.applicationTransactionCounter)
    cvc3Track2 = try number(.cvc3Track2)
    let tracks = computation.tracks
    cvc3Track1 = if tracks.track1 == nil { nil } else { try number(.cvc3Track1) }
    unpredictableNumber = computation.unpredictableNumber
    unpredictableDigitCount = tracks.positions2.unpredictableDigitCount
    let (atc, random, verified) = (transactionCounter, unpredictableNumber, isVerifiedOnDevice)
    func dynamic(_ cvc3: UInt16) -> DynamicTrackData {
      DynamicTrackData(cvc3: CVC3(cvc3), unpredictableNumber: random, atc: atc, isVerifiedOnDevice: verified)
    }
    guard let filled = tracks.filled(dynamic(cvc3Track2), cvc3Track1.map(dynamic)) else {
      throw StepFailure(phase, .trackNotFilled)
    }
    (track2, track1) = filled
  }
}

extension MagStripeData: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Counter and verification; never a track.
  public var description: String {
    "mag-stripe mode, ATC \(transactionCounter), \(isVerifiedOnDevice ? "" : "not ")verified on the device"
  }

  /// The description: an error or a log must not show more.
  public var debugDescription: String { description }

  /// No children: a dump must not show more than the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
