public import EMVData
internal import ISO7816
internal import Octets

/// The data of kernel 2's mag-stripe mode in an authorisation request: a typed view of its tags.
public struct MagStripeData: Hashable, Sendable {
  /// Tag 9F6B with the digits of the transaction, one digit a nibble: for the host, track 2 of a magnetic stripe.
  public let track2: [UInt8]
  /// Tag 56 with the digits of the transaction, ASCII; nil when the card has no track 1.
  public let track1: [UInt8]?
  /// Tag 9F61.
  public let cvc3Track2: UInt16
  /// Tag 9F60; nil when the card has no track 1.
  public let cvc3Track1: UInt16?
  /// Tag 9F6A: eight decimal digits, one digit a nibble.
  public let unpredictableNumber: UInt32
  /// How many digits of the unpredictable number a track holds, 0...8: the last digit of the track, less 5 (modulo 10)
  /// after a verification on the device.
  public let unpredictableDigitCount: Int
  /// Tag 9F36.
  public let transactionCounter: UInt16
  /// Whether the card reports that the device verified its holder: tag DF4B byte 2 bit 5.
  public let isVerifiedOnDevice: Bool

  /// Reads a request; nil when the payment was not in mag-stripe mode.
  public init?(_ request: AuthorizationRequest) {
    func number(_ tag: Tag) -> UInt16? { request.value(tag).flatMap { UInt16(bigEndian: $0) } }
    guard let track2 = request.value(.track2Data), let cvc3 = number(.cvc3Track2),
      let random = request.value(.unpredictableNumberNumeric).flatMap({ UInt32(bigEndian: $0) }),
      let last = track2.flatMap({ [$0 >> 4, $0 & 0x0F] }).last(where: { $0 <= 9 })
    else { return nil }
    self.track2 = track2
    track1 = request.value(.track1Data)
    cvc3Track2 = cvc3
    cvc3Track1 = track1 == nil ? nil : number(.cvc3Track1)
    unpredictableNumber = random
    transactionCounter = request.transactionCounter
    let interaction = request.value(.cardholderInteraction)
      .flatMap { POSCardholderInteractionInformation(octets: $0) }
    isVerifiedOnDevice = interaction?.contains(.cvmSuccessful) == true
    unpredictableDigitCount = (Int(last) + (isVerifiedOnDevice ? 5 : 0)) % 10
  }
}

extension MagStripeData: ContentConcealing {
  /// Counter and verification; never a track.
  public var description: String {
    "mag-stripe mode, ATC \(transactionCounter), \(isVerifiedOnDevice ? "" : "not ")verified on the device"
  }
}
