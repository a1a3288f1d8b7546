package import EMVCryptography
package import Octets

/// What lets a card compute: one reserved use per application and the verification it rests on.
///
/// Non-copyable, and made only by `ContactlessPayment`, which makes one by consuming a cardholder verification. Its
/// keys are wiped when it goes.
public struct Arming: ~Copyable, Sendable {
  /// The most octets that a wallet can add to tag 9F10: 14.
  public static let maximumWalletDataCount = 14

  // A card whose key waits for the terminal's unpredictable number puts that key in its place.
  var keys: TripleDESKeys
  let counters: [UInt16]
  let deadline: Instant
  let walletData: [UInt8]

  /// Binds reserved uses to a verification.
  ///
  /// - Parameters:
  ///   - keys: One per role of each application of the image, in its order: see `CardImage.keyCount`.
  ///   - counters: The transaction counters, in the same order.
  ///   - deadline: Until when the first GET PROCESSING OPTIONS may come; checked once.
  ///   - walletData: What the wallet adds to the issuer application data of Mastercard applications: 0...14 octets,
  ///     which is what tag 9F10 (32 octets at most) leaves behind the 18 of the longest layout.
  package init(
    keys: consuming TripleDESKeys, counters: [UInt16], deadline: Instant, walletData: [UInt8] = []
  ) {
    precondition(walletData.count <= Self.maximumWalletDataCount, "wallet data have 14 octets at most")
    self.keys = keys
    self.counters = counters
    self.deadline = deadline
    self.walletData = walletData
  }
}
