/// A rule of a fault plan as its author writes it. `FaultPlan` checks it.
///
/// ```json
/// { "when": { "command": "READ RECORD" }, "what": { "kind": "status", "status": "6A82" }, "times": 1 }
/// ```
extension CardProfile {
  /// One rule: when, what, how often.
  public struct Fault: Codable, Hashable, Sendable {
    /// When the fault is due; at every command when left out.
    public var when: Occasion?
    /// What is wrong with the answer.
    public var what: Kind
    /// How often at most while the card is presented, 1...65535; without limit when left out.
    public var times: Int?
    /// How likely the fault is each time that it is due, 1...100 percent; 100 when left out.
    public var percent: Int?
    /// What the rule's choices follow from; 0 when left out.
    public var seed: UInt64?

    /// Creates a rule.
    public init(
      when: Occasion? = nil, what: Kind, times: Int? = nil, percent: Int? = nil, seed: UInt64? = nil
    ) {
      self.when = when
      self.what = what
      self.times = times
      self.percent = percent
      self.seed = seed
    }

    /// When a fault is due: when all that is given applies.
    public struct Occasion: Codable, Hashable, Sendable {
      /// The command, by its name in the books (`GET PROCESSING OPTIONS`) or its instruction octet (`A8`).
      public var command: String?
      /// The number of the command since the card was powered or reset, 1...65535.
      public var exchange: Int?
      /// The tag of a data object that the answer must hold; kinds that aim at a data object aim at this one.
      public var tag: String?

      /// Creates an occasion.
      public init(command: String? = nil, exchange: Int? = nil, tag: String? = nil) {
        self.command = command
        self.exchange = exchange
        self.tag = tag
      }
    }

    /// What is wrong with an answer: a kind and what it needs.
    public struct Kind: Codable, Hashable, Sendable {
      /// One of `FaultPlan.kinds`.
      public var kind: String
      /// For `status`: the status word, 4 hexadecimal digits.
      public var status: String?
      /// For `status`: whether the data stay; they go when left out.
      public var keepsData: Bool?
      /// For `wrong-length`: what is added to the length, -127...127 but 0.
      public var by: Int?
      /// For `truncated`: how many octets are missing, 1...256; for `chained`: the most octets of a part, 1...256.
      public var octets: Int?
      /// For `delay`: how long the card waits, 1...60000 ms.
      public var milliseconds: Int?

      /// Creates a kind.
      public init(
        _ kind: String, status: String? = nil, keepsData: Bool? = nil, by: Int? = nil, octets: Int? = nil,
        milliseconds: Int? = nil
      ) {
        self.kind = kind
        self.status = status
        self.keepsData = keepsData
        self.by = by
        self.octets = octets
        self.milliseconds = milliseconds
      }
    }
  }
}
