internal import Documents
public import EMVCard
public import ISO7816
public import JSON
internal import Octets

/// The wrong responses that a card gives on request, checked: for developers of terminals.
///
/// A plan does nothing by itself, and no card reads it: only a `FaultInjector` made from it changes answers.
public struct CardFaultPlan: Hashable, Sendable {
  /// The most rules of a plan.
  public static let maximumRules = 64
  /// The longest delay: 60 000 ms.
  public static let maximumDelay = 60_000

  /// How a response is wrong.
  public enum Fault: Hashable, Sendable {
    /// `status`: the response has another status word, with or without its data.
    case status(StatusWord, keepsData: Bool)
    /// `bad-tlv`: the tag or the length of a data object is unreadable. The seed chooses one of an indefinite length, a
    /// length of five bytes and a tag without an end.
    case malformed
    /// `wrong-length`: the length of a data object is larger or smaller than its value.
    case wrongLength(by: Int)
    /// `truncated`: bytes before the status word are missing.
    case truncated(octets: Int)
    /// `duplicated`: the response has a data object twice; the lengths of its templates are right.
    case duplicated
    /// `missing`: the response does not have a data object; the lengths of its templates are right.
    case missing
    /// `value`: a data object has another value; the lengths of its templates are right. The rule names the object.
    case value([UInt8])
    /// `added`: the response has further data objects, behind the one that the rule names, or else at the end of the
    /// outermost template; the lengths of the templates are right.
    case added([UInt8])
    /// `delay`: the response is late. A delay that is longer than the terminal waits is silence.
    case delay(milliseconds: Int)
    /// `chained`: the response is 61xx, and GET RESPONSE returns the data in parts (ISO/IEC 7816-4:2013, 5.3.4).
    case chained(part: Int)
    /// `length-corrected`: the response is 6Cxx, and the same command with that Le returns the data
    /// (ISO/IEC 7816-3:2006, 12.2.1).
    case lengthCorrected
    /// `link-lost`: the card leaves the field instead of answering.
    case linkLost
  }

  /// The condition of a fault: everything that is given must apply.
  public struct Occasion: Hashable, Sendable {
    /// The instruction byte of the command.
    public let instruction: UInt8?
    /// The number of the command since the card was powered or reset, from 1.
    public let exchange: Int?
    /// A data object that the response must hold, and that the fault changes.
    public let tag: Tag?
  }

  /// One rule of a plan.
  public struct Rule: Hashable, Sendable {
    /// When the fault is due.
    public let occasion: Occasion
    /// How the response is wrong then.
    public let fault: Fault
    /// How often the rule applies at most; nil without limit.
    public let times: Int?
    /// The probability each time that the fault is due, 1...100 percent.
    public let percent: Int
    /// The seed of the random choices.
    public let seed: UInt64
  }

  /// The rules. All that are due at a command apply, in this order.
  public let rules: [Rule]

  /// Checks rules in JSON, as a profile has them under `faults`.
  ///
  /// - Throws: `CardProfileError` with all problems, at paths such as `faults[0].what.kind`.
  public init(json: JSONValue) throws(CardProfileError) {
    var reader = ObjectReader(JSONValue(members: [("faults", json)]), at: "")
    rules = Self.rules(&reader)
    try CardProfileError.check(reader.finish(), isText: false)
  }

  private init(rules: [Rule]) { self.rules = rules }

  /// A plan with further rules, which are due after those of this plan.
  ///
  /// - Throws: `CardProfileError` with all problems of the further rules.
  public func adding(_ faults: JSONValue) throws(CardProfileError) -> CardFaultPlan {
    CardFaultPlan(rules: rules + (try CardFaultPlan(json: faults)).rules)
  }
}

extension CardFaultPlan.Fault {
  /// The name of the kind in a profile.
  public var kind: String { words.kind }

  // The kind, and the fault in words.
  var words: (kind: String, detail: String) {
    switch self {
    case .status(let status, let keepsData):
      ("status", "status word \(status) \(keepsData ? "with" : "without") the data")
    case .malformed: ("bad-tlv", "unreadable TLV")
    case .wrongLength(let change): ("wrong-length", "length changed by \(change)")
    case .truncated(let octets): ("truncated", "\(octets) bytes missing at the end")
    case .duplicated: ("duplicated", "a data object twice")
    case .missing: ("missing", "a data object missing")
    case .value(let value): ("value", "a value of \(value.count.bytes) in place of the right one")
    case .added(let objects): ("added", "\(objects.count.bytes) of further data objects")
    case .delay(let milliseconds): ("delay", "answered \(milliseconds) ms late")
    case .chained(let part): ("chained", "61xx, in parts of at most \(part) bytes")
    case .lengthCorrected: ("length-corrected", "6Cxx for the right Le")
    case .linkLost: ("link-lost", "left the field")
    }
  }
}
