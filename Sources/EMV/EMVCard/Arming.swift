package import EMVCryptography
package import Octets

/// What lets a card compute: one reserved use per application and the verification it rests on.
///
/// Non-copyable, and made only by `ContactlessPayment`, which makes one by consuming a cardholder verification. Its
/// keys are wiped when it goes.
public struct Arming: ~Copyable, Sendable {
  // A card whose key waits for the terminal's unpredictable number puts that key in its place.
  var keys: TripleDESKeys
  let counters: [UInt16]
  let deadline: Instant

  /// Binds reserved uses to a verification.
  ///
  /// - Parameters:
  ///   - keys: One per role of each application of the image, in its order: see `CardImage.keyCount`.
  ///   - counters: The transaction counters, in the same order.
  ///   - deadline: Until when the first GET PROCESSING OPTIONS may come; checked once.
  package init(keys: consuming TripleDESKeys, counters: [UInt16], deadline: Instant) {
    self.keys = keys
    self.counters = counters
    self.deadline = deadline
  }
}
