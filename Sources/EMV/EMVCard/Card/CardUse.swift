internal import Ciphers
internal import EMVCryptography
internal import Octets

/// The use that a card holds.
///
/// The parts of the arming are fields of their own: a pattern that borrows a whole arming copies its 128 bytes each time.
struct CardUse: ~Copyable {
  /// What became of the use.
  enum Stage {
    /// None: the card is unarmed.
    case none
    /// No computation has spent it.
    case reserved
    /// It is spent. It stays until the field changes, since its counter and the wallet's bytes are still needed.
    case spent
  }

  private(set) var stage = Stage.none
  /// The transaction counters of the applications.
  let counters: [UInt16]
  /// The latest instant of the first GET PROCESSING OPTIONS.
  let deadline: Instant
  /// The bytes that the wallet adds.
  let walletData: [UInt8]
  /// The terms for which the use is reserved; nil for any.
  let terms: PaymentTerms?
  /// The application for which the use is reserved, by its position in the image; nil for any.
  let application: Int?
  /// For each application what it may approve without its issuer.
  private let offline: [OfflineApprovals]
  private var keys: TripleDESKeys?
  private let signing: CardSigning?

  /// No use.
  init() {
    (counters, deadline, walletData, terms, application) = ([], Instant(nanoseconds: 0), [], nil, nil)
    offline = []
    keys = nil
    signing = nil
  }

  /// The reserved use of an arming.
  init(_ arming: consuming Arming) {
    stage = .reserved
    (counters, deadline, walletData) = (arming.counters, arming.deadline, arming.walletData)
    (terms, application) = (arming.terms, arming.application)
    offline = arming.offline
    keys = consume arming.keys
    signing = consume arming.signing
  }

  /// What an application may approve without its issuer; nothing without a use.
  func offlineAllowance(of application: Int) -> OfflineApprovals {
    offline.isEmpty ? .none : offline[application]
  }

  /// Spends the reserved use for a computation of an application, and returns its counter.
  mutating func spend(for application: Int) -> UInt16 {
    precondition(stage == .reserved, "only an armed card computes")
    stage = .spent
    return counters[application]
  }

  /// Replaces the key at an index by the session key that it derives. Nothing needs the master key after a computation.
  mutating func deriveSessionKey(at index: Int, diversifier: UInt64) {
    keys?.replaceKey(at: index, withSessionKeyFrom: index, diversifier: diversifier)
  }

  /// Computes the MAC of a script command (EMV 4.4 Book 2, 9.2, format 1): header and data are padded each.
  ///
  /// - Parameters:
  ///   - chain: The MAC of the command before, or the cryptogram.
  ///   - header: CLA, INS, P1 and P2.
  ///   - object: The data object with its tag and length; empty for a command without data.
  borrowing func scriptMAC(
    after chain: UInt64, _ header: UInt64, _ object: Span<UInt8>, with index: Int
  ) -> UInt64 {
    switch keys {
    case .some(let keys):
      var mac = RetailMAC()
      mac.absorb(chain, count: 8, keys, with: index)
      mac.absorb(header << 32 | 0x8000_0000, count: 8, keys, with: index)
      guard !object.isEmpty else { return mac.finish(.zeros, keys, with: index) }
      mac.absorb(object, keys, with: index)
      return mac.finish(.mandatory, keys, with: index)
    case nil: preconditionFailure("a card computes with a use that it has spent")
    }
  }

  /// Computes the MAC of a script command (EMV 4.4 Book 2, 9.2, format 2).
  ///
  /// - Parameters:
  ///   - header: CLA, INS, P1, P2 and Lc.
  ///   - transaction: The counter and the cryptogram, where the MAC covers them.
  borrowing func scriptMAC(
    _ header: UInt64, _ transaction: (counter: UInt16, cryptogram: UInt64)?, _ data: Span<UInt8>, with index: Int
  ) -> UInt64 {
    switch keys {
    case .some(let keys):
      var mac = RetailMAC()
      mac.absorb(header, count: 5, keys, with: index)
      if let transaction {
        mac.absorb(UInt64(transaction.counter), count: 2, keys, with: index)
        mac.absorb(transaction.cryptogram, count: 8, keys, with: index)
      }
      mac.absorb(data, keys, with: index)
      return mac.finish(.mandatory, keys, with: index)
    case nil: preconditionFailure("a card computes with a use that it has spent")
    }
  }

  /// Whether issuer authentication data are right for a cryptogram.
  ///
  /// - Parameter data: The value of tag 91, as long as its method has it.
  borrowing func authenticates(
    _ data: Span<UInt8>, _ method: CryptogramVersion.ResponseRule.Method, _ cryptogram: UInt64, with index: Int
  ) -> Bool {
    switch keys {
    case .some(let keys): ResponseCryptogram.matches(data, method, cryptogram, keys, with: index)
    case nil: preconditionFailure("a card computes with a use that it has spent")
    }
  }

  /// Signs a padded message.
  borrowing func sign(_ message: Span<UInt8>, with index: Int) -> UInt64 {
    switch keys {
    case .some(let keys): return RetailMAC.value(ofBlocks: message, keys, with: index)
    case nil: preconditionFailure("a card computes with a use that it has spent")
    }
  }

  /// Completes a block of dynamic data and replaces it by its signature; false when the signature is wrong.
  borrowing func sign(_ block: inout MutableSpan<UInt8>, covering message: consuming SHA1Stream) -> Bool {
    switch signing {
    case .some(let signing): return signing.finish(&block, covering: message)
    case nil: preconditionFailure("an armed card with certificates has their key")
    }
  }

  /// Computes the CVC3 of a track.
  borrowing func code(
    _ initialVector: UInt16, _ unpredictableNumber: UInt32, _ counter: UInt16, with index: Int
  ) -> UInt16 {
    switch keys {
    case .some(let keys):
      return CVC3(
        initialVector: initialVector, unpredictableNumber: unpredictableNumber, atc: counter, keys, with: index
      ).value
    case nil: preconditionFailure("a card computes with a use that it has spent")
    }
  }
}
