public import ISO7816

/// What a card does wrong on purpose, checked: for developers of terminals.
///
/// A plan does nothing by itself, and no card looks at it: only a `FaultInjector` made from it injects faults.
public struct FaultPlan: Hashable, Sendable {
  /// The most rules of a plan.
  public static let maximumRules = 64
  /// The longest delay: 60 000 ms.
  public static let maximumDelay = 60_000

  /// What is wrong with an answer.
  public enum Fault: Hashable, Sendable {
    /// `status`: another status word, without the data or with them.
    case status(StatusWord, keepsData: Bool)
    /// `bad-tlv`: a data object whose tag or length no reader can read: the indefinite form, a length of five
    /// octets or a tag that does not end, whichever the seed chooses.
    case malformed
    /// `wrong-length`: the length of a data object states more or less than there is.
    case wrongLength(by: Int)
    /// `truncated`: octets are missing before the status word.
    case truncated(octets: Int)
    /// `duplicated`: a data object comes twice, in templates of the right length.
    case duplicated
    /// `missing`: a data object does not come, in templates of the right length.
    case missing
    /// `delay`: the answer comes so many milliseconds late; longer than a terminal waits, it is silence.
    case delay(milliseconds: Int)
    /// `chained`: 61xx, and the data in parts by GET RESPONSE (ISO/IEC 7816-4:2013, 5.3.4).
    case chained(part: Int)
    /// `length-corrected`: 6Cxx, and the answer to the same command with that Le (ISO/IEC 7816-3:2006, 12.2.1).
    case lengthCorrected
    /// `link-lost`: the card leaves the field instead of answering.
    case linkLost
  }

  /// When a fault is due: when all that is given applies.
  public struct Occasion: Hashable, Sendable {
    /// The instruction octet of the command.
    public let instruction: UInt8?
    /// The number of the command since the card was powered or reset, from 1.
    public let exchange: Int?
    /// A data object that the answer must hold, and that the fault aims at.
    public let tag: Tag?
  }

  /// One rule of a plan.
  public struct Rule: Hashable, Sendable {
    /// When the fault is due.
    public let occasion: Occasion
    /// What is wrong then.
    public let fault: Fault
    /// How often at most; nil without limit.
    public let times: Int?
    /// How likely each time, 1...100.
    public let percent: Int
    /// What the choices follow from.
    public let seed: UInt64
  }

  /// The rules; all that are due at a command are applied in this order.
  public let rules: [Rule]

  /// Checks rules.
  ///
  /// - Throws: `CardProfileError` with all problems, at `faults[0].what.kind` and the like.
  public init(_ faults: [CardProfile.Fault]) throws(CardProfileError) {
    var reader = ProfileReader()
    rules = Self.rules(faults, &reader)
    try reader.finish()
  }

  /// The plan of a profile, or nil when it has none.
  ///
  /// - Throws: `CardProfileError` with all problems of the plan.
  public init?(of profile: CardProfile) throws(CardProfileError) {
    guard let faults = profile.faults, !faults.isEmpty else { return nil }
    try self.init(faults)
  }
}

extension FaultPlan.Fault {
  /// The name of the kind in a profile.
  public var kind: String {
    switch self {
    case .status: "status"
    case .malformed: "bad-tlv"
    case .wrongLength: "wrong-length"
    case .truncated: "truncated"
    case .duplicated: "duplicated"
    case .missing: "missing"
    case .delay: "delay"
    case .chained: "chained"
    case .lengthCorrected: "length-corrected"
    case .linkLost: "link-lost"
    }
  }
}
