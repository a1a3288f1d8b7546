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
  // The terms of the first cryptogram of the same verification; nil before there is one.
  let terms: PaymentTerms?

  /// Binds reserved uses to a verification.
  ///
  /// - Parameters:
  ///   - keys: One per role of each application of the image, in its order: see `CardImage.keyCount`.
  ///   - counters: The transaction counters, in the same order.
  ///   - deadline: Until when the first GET PROCESSING OPTIONS may come; checked once.
  ///   - walletData: What the wallet adds to the issuer application data of Mastercard applications: 0...14 octets,
  ///     which is what tag 9F10 (32 octets at most) leaves behind the 18 of the longest layout.
  ///   - terms: For a further use after a cryptogram: the terms of that cryptogram. The card computes only for the same
  ///     terms; it refuses others with `CardRefusal.differentTerms` and keeps the use. Nil allows any terms.
  package init(
    keys: consuming TripleDESKeys, counters: [UInt16], deadline: Instant, walletData: [UInt8] = [],
    terms: PaymentTerms? = nil
  ) {
    precondition(walletData.count <= Self.maximumWalletDataCount, "wallet data have 14 octets at most")
    self.keys = keys
    self.counters = counters
    self.deadline = deadline
    self.walletData = walletData
    self.terms = terms
  }
}
