internal import Ciphers
internal import EMVCryptography
public import EMVData
internal import Octets

extension Issuer {
  /// Decides on a payment in mag-stripe mode from the track that a terminal sends.
  ///
  /// The track holds only the last digits of the counter. The issuer assumes the lowest counter above the last one that
  /// ends in them, so a repeated track is one with a wrong code. No sequence number is on a track: the card with the
  /// lowest one that has the mode is meant.
  ///
  /// - Parameters:
  ///   - track2: The value of tag 9F6B with the digits of the transaction.
  ///   - date: The date of the payment; nil when it is unknown, and then no card has expired.
  ///   - ledger: The counters of the cards.
  /// - Throws: The error of the ledger.
  public func authorizeMagStripe<Ledger: IssuerLedger>(
    track2: [UInt8], on date: TransactionDate? = nil, in ledger: inout Ledger
  ) throws(Ledger.Failure) -> Decision {
    guard let accountNumber = Track2EquivalentData(track2)?.accountNumber else { return .declined(.wrongCode) }
    let known = try ledger.entries(accountNumber: accountNumber)
    guard !known.isEmpty else { return .unknownCard }
    guard let entry = Self.magStripeEntry(among: known), let magStripe = entry.account.magStripe else {
      return .declined(.noMagStripeMode)
    }
    guard !entry.isRetired else { return .declined(.retired) }
    guard let (written, counter) = Self.counter(of: track2, entry, magStripe),
      isGenuine(track2, of: entry.account, magStripe, written, counter)
    else { return .declined(.wrongCode) }
    if let date, Self.isExpired(track2, at: date) { return .declined(.expired) }
    return try accept(counter, of: entry, in: &ledger, authenticationData: nil)
  }

  /// Returns the account and the counter that `authorizeMagStripe` takes a track for, so that an issuer with several generations
  /// of keys can find the one of the payment; nil for a track that no card can have made.
  ///
  /// - Throws: The error of the ledger.
  public static func magStripeCounter<Ledger: IssuerLedger>(
    ofTrack2 track2: [UInt8], in ledger: Ledger
  ) throws(Ledger.Failure) -> (account: IssuerAccount, counter: UInt16)? {
    guard let accountNumber = Track2EquivalentData(track2)?.accountNumber,
      let entry = magStripeEntry(among: try ledger.entries(accountNumber: accountNumber)),
      let magStripe = entry.account.magStripe, let (_, counter) = counter(of: track2, entry, magStripe)
    else { return nil }
    return (entry.account, counter)
  }

  private static func magStripeEntry(among known: [LedgerEntry]) -> LedgerEntry? {
    known.filter { $0.account.magStripe != nil }.min { $0.account.sequenceNumber < $1.account.sequenceNumber }
  }

  private static func counter(
    of track2: [UInt8], _ entry: LedgerEntry, _ magStripe: MagStripeTrack
  ) -> (WrittenDigits, UInt16)? {
    guard let written = magStripe.positions.written(in: track2),
      let counter = counter(endingIn: written, above: entry.lastCounter ?? max(entry.account.firstCounter, 1) - 1)
    else { return nil }
    return (written, counter)
  }

  /// Returns the lowest counter above another one that ends in the digits of a track; nil if no such counter exists.
  static func counter(endingIn written: WrittenDigits, above last: UInt16) -> UInt16? {
    let next = Int(last) + 1
    let distance = (written.counter - next) % written.counterModulus
    return UInt16(exactly: next + (distance < 0 ? distance + written.counterModulus : distance))
  }

  /// Whether a track is the card's and has the card's code for the counter.
  private func isGenuine(
    _ track2: [UInt8], of account: IssuerAccount, _ magStripe: MagStripeTrack, _ written: WrittenDigits,
    _ counter: UInt16
  ) -> Bool {
    let keys = TripleDESKeys(cardCVC3Key(of: account))
    let vector = CVC3.initialVector(of: magStripe.octets.span, keys)
    let code = CVC3(
      initialVector: vector, unpredictableNumber: written.unpredictableNumber, atc: counter, keys)
    let expected = [false, true].compactMap { isVerified in
      magStripe.positions.filled(
        magStripe.octets,
        with: DynamicTrackData(
          cvc3: code, unpredictableNumber: written.unpredictableNumber, atc: counter, isVerifiedOnDevice: isVerified))
    }
    return expected.contains { constantTimeEqual($0.span, track2.span) }
  }
}
