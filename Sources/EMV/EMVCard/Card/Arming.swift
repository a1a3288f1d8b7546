package import Ciphers
internal import EMVCryptography
package import Octets

/// The permission of a card to compute: one reserved use per application, based on a verification of the cardholder.
///
/// Non-copyable. Only `ContactlessPayment` makes one, and consumes a cardholder verification for it. Its keys are wiped
/// when it is destroyed.
public struct Arming: ~Copyable, Sendable {
  /// The most bytes that a wallet adds to tag 9F10: 14.
  public static let maximumWalletDataCount = CardImage.maximumWalletDataCount

  // Mutable: a session key that depends on the terminal's unpredictable number replaces the master key.
  var keys: TripleDESKeys
  let method: DeviceVerificationMethod
  let counters: [UInt16]
  let deadline: Instant
  let walletData: [UInt8]
  /// For each application the two bytes that begin the code of track 2 (IVCVC3), then those of track 1.
  let initialVectors: [UInt16]
  // The terms and the application of the first cryptogram of the same verification; nil before there is one.
  let terms: PaymentTerms?
  let application: Int?
  // What is stored for the card; nil for a card that keeps its present state.
  let state: CardState?
  // For each application what it may approve without its issuer: one payment at most.
  let offline: [OfflineApprovals]
  // The card's key for signatures with its scratch memory; nil for a card that makes none.
  let signing: CardSigning?
  // Room for the values of two lists of a terminal. The card fills it when it computes, without an allocation.
  var terminalValues: [UInt8]

  /// Creates an arming. Traps when `walletData` is too long, and when the keys or counters are for another card.
  ///
  /// Computes what the card can know before the tap: the beginning of the CVC3 of every track.
  ///
  /// - Parameters:
  ///   - image: The image of the card.
  ///   - keys: One key for each role of each application of the image, in the image's order. See `CardImage.keyCount`.
  ///   - method: How the cardholder was verified.
  ///   - counters: The transaction counters of the applications, in the same order.
  ///   - deadline: The latest instant of the first GET PROCESSING OPTIONS; checked once in an exchange.
  ///   - walletData: The bytes that the wallet adds to tag 9F10 of applications with room for them: 0...14, since tag
  ///     9F10 has at most 32 bytes and the longest layout fills 18.
  ///   - signingKey: The key that the certificates of the card certify; nil for a card that makes no signatures. Another key
  ///     traps. The memory for a signature is reserved here.
  ///   - terms: For a further use after a cryptogram: the terms of that cryptogram. The card computes only for the same
  ///     terms; it refuses others with `CardRefusal.differentTerms` and keeps the use. Nil allows any terms.
  ///   - application: For a further use after a cryptogram: the position in the image of the application of that cryptogram.
  ///     The card refuses the others with `CardRefusal.differentApplication` and keeps the use. Nil allows any application.
  ///   - state: What is stored for the card when the use is reserved; nil keeps the state that the card has.
  ///   - offline: For each application what the use may approve without the issuer. Nil allows one payment up to the limit of
  ///     the profile, as for a card that has approved none.
  package init(
    for image: CardImage, keys: consuming TripleDESKeys, method: DeviceVerificationMethod, counters: [UInt16],
    deadline: Instant,
    walletData: [UInt8] = [], terms: PaymentTerms? = nil, application: Int? = nil,
    signingKey: consuming RSASigningKey? = nil, state: CardState? = nil, offline: [OfflineApprovals]? = nil
  ) {
    precondition(walletData.count <= Self.maximumWalletDataCount, "wallet data have 14 bytes at most")
    precondition(
      counters.count == image.applications.count && keys.count == image.keyCount, "the arming is for another card")
    let offline = offline ?? image.applications.map { $0.offlineApproval?.allowance(after: .none) ?? .none }
    precondition(offline.count == image.applications.count, "the offline approvals are those of another card")
    signing = CardSigning(signingKey)
    initialVectors = Self.initialVectors(image, keys)
    self.keys = keys
    self.method = method
    self.counters = counters
    self.deadline = deadline
    self.walletData = walletData
    self.terms = terms
    self.application = application
    self.state = state
    self.offline = offline
    terminalValues = [UInt8](repeating: 0, count: 2 * CommandProgram.maximumValueCount)
    let isOwn = publicKey == image.signingKey
    precondition(isOwn, "the signing key is that of the card's certificate")
  }

  private var publicKey: RSAPublicKey? {
    switch signing {
    case .some(let signing): signing.publicKey
    case nil: nil
    }
  }

  private static func initialVectors(_ image: CardImage, _ keys: borrowing TripleDESKeys) -> [UInt16] {
    let arena = image.arena
    var vectors: [UInt16] = []
    for application in image.images {
      for track in [application.track2, application.track1] {
        let isMissing = application.track2.count == 0
        let key = application.firstKey + 1
        vectors.append(isMissing ? 0 : CVC3.initialVector(of: arena[track], keys, with: key))
      }
    }
    return vectors
  }
}
