public import ISO7816

/// A step that failed, and the rule it broke. The payment may go on, for example with the next application; the
/// `PaymentOutcome` is its end.
public struct StepFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong. A kernel adds its own codes in an extension.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// A stable name for machines, such as `declinedByCard`.
    public let name: String
    /// A sentence with the value and the limit. Never card data.
    public let description: String

    /// Creates a code.
    public init(_ name: String, _ description: String) {
      self.name = name
      self.description = description
    }
  }

  /// The part of the payment in which it happened.
  public let phase: TransactionPhase
  /// What went wrong.
  public let code: Code

  /// Creates a failure.
  @inline(never)
  public init(_ phase: TransactionPhase, _ code: Code) {
    self.phase = phase
    self.code = code
  }

  /// Phase and reason. Never card data.
  public var description: String { "\(phase.rawValue): \(code)" }
}

// Entry Point and every kernel.
extension StepFailure.Code {
  /// The amount is zero and the combination does not take zero (Book B v2.11, 3.1.1.4).
  public static let zeroAmount = Self("zeroAmount", "the terminal does not take an amount of zero")
  /// The amount is zero, and the reader takes payments offline only (Book B v2.11, 3.1.1.11).
  public static let zeroAmountOffline = Self(
    "zeroAmountOffline", "an amount of zero needs an online cryptogram, and the reader is offline only")
  /// The amount is at or above the reader contactless transaction limit (Book B, 3.1.1.5). Kernel 2: above the limit.
  public static let transactionLimit = Self(
    "transactionLimit", "the amount reaches the contactless transaction limit")
  /// Tag 84 of the response to SELECT is another name than the selected one.
  public static let nameDiffers = Self("nameDiffers", "tag 84 holds another name than the selected one")
  /// Card and terminal have no application in common, or none is left (Book B, 3.3.2.7).
  public static let noCandidate = Self("noCandidate", "no application left that card and terminal both have")
  /// The cryptogram is of the reserved type.
  public static let reservedCryptogram = Self("reservedCryptogram", "the cryptogram is of the reserved type 11")
  /// The card declined with an application authentication cryptogram (Book C-3 v2.11, 5.4.3.2).
  public static let declinedByCard = Self("declinedByCard", "the card declined (AAC)")
  /// The card approved offline although the terminal asked for an online cryptogram.
  public static let offlineApprovalNotAsked = Self(
    "offlineApprovalNotAsked", "the card approved offline (TC) although an online cryptogram was asked for")
  /// Tags 57 and 5A hold different account numbers.
  public static let accountNumbersDiffer = Self(
    "accountNumbersDiffer", "tags 57 and 5A hold different account numbers")
  /// The card left, or the link to it broke, before it had answered (Book C-3 v2.11, 4.1.1.2).
  public static let linkLost = Self("linkLost", "the card left before it had answered")
  /// The host declined.
  public static let declinedByHost = Self("declinedByHost", "the host declined")

  /// The card answered with this status word.
  public static func status(_ status: StatusWord) -> Self {
    Self("status", "the card answered \(status), \(status.text)")
  }

  /// A response is not of the form it must have.
  ///
  /// - Parameter reason: A sentence that names the place and the fault.
  public static func malformed(_ reason: String) -> Self { Self("malformed", reason) }

  /// A mandatory data element is missing (Book C-3 v2.11, 5.4.2.1; EMV 4.4 Book 3, 7.2).
  public static func missing(_ tag: Tag) -> Self { Self("missing", "mandatory tag \(tag) is missing") }

  /// A data element came more than once (Book C-3 v2.11, 5.4.2.2; EMV 4.4 Book 3, 10.2).
  public static func duplicate(_ tag: Tag) -> Self { Self("duplicate", "tag \(tag) came more than once") }

  /// A data element has a length that the books do not allow.
  public static func length(_ tag: Tag, count: Int) -> Self {
    Self("length", "tag \(tag) has \(count) bytes, which its definition does not allow")
  }

  /// The card wants more data than one command can carry. Counts are in bytes.
  public static func tooManyProcessingOptions(count: Int, limit: Int) -> Self {
    Self("tooManyProcessingOptions", "the card asks for \(count) bytes of data in one command: the limit is \(limit)")
  }
}
