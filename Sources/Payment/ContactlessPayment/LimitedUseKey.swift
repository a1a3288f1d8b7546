public import Octets

/// A payment key that an issuer provisioned for one application: good for a number of payments.
///
/// The key octets leave for the store that keeps them only; a reservation takes what one payment needs.
public final class LimitedUseKey: Sendable {
  package let masterKey: Secret
  /// The counter of the first payment, tag 9F36: 1...65535.
  public let firstCounter: UInt16
  /// How many payments the key is good for: 0...65535.
  public let uses: Int

  /// Takes a key over.
  ///
  /// - Parameter masterKey: The card's master key for application cryptograms, 16 octets.
  public init(masterKey: consuming Secret, firstCounter: UInt16, uses: Int) {
    self.masterKey = masterKey
    self.firstCounter = firstCounter
    self.uses = uses
  }
}
