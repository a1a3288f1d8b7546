extension CardProfile {
  /// A rule of a fault plan as its author writes it: when, what, how often. `CardFaultPlan` checks it.
  ///
  /// ```json
  /// { "when": { "command": "READ RECORD" }, "what": { "kind": "status", "status": "6A82" }, "times": 1 }
  /// ```
  public struct Fault: Hashable, Sendable {
    /// When the fault is due; at every command when left out.
    public var when: Occasion?
    /// How the response is wrong.
    public var what: Kind
    /// How often the rule applies at most while the card is presented, 1...65535; without limit when left out.
    public var times: Int?
    /// The probability each time that the fault is due, 1...100 percent; 100 when left out.
    public var percent: Int?
    /// The seed of the rule's random choices; 0 when left out.
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

    /// The condition of a fault: everything that is given must apply.
    public struct Occasion: Hashable, Sendable {
      /// The command, by its name in the books (`GET PROCESSING OPTIONS`) or its instruction byte (`A8`).
      public var command: String?
      /// The number of the command since the card was powered or reset, 1...65535.
      public var exchange: Int?
      /// The tag of a data object that the response must hold. Kinds that change a data object change this one.
      public var tag: String?

      /// Creates a condition.
      public init(command: String? = nil, exchange: Int? = nil, tag: String? = nil) {
        self.command = command
        self.exchange = exchange
        self.tag = tag
      }
    }

    /// How a response is wrong: a kind and its parameters.
    public struct Kind: Hashable, Sendable {
      /// One of `CardFaultPlan.kinds`.
      public var kind: String
      /// For `status`: the status word, 4 hexadecimal digits.
      public var status: String?
      /// For `status`: whether the response keeps its data; it loses them when left out.
      public var keepsData: Bool?
      /// For `wrong-length`: the number added to the length, -127...127 but not 0.
      public var by: Int?
      /// For `truncated`: the number of missing bytes, 1...256; for `chained`: the most bytes of a part, 1...256.
      public var octets: Int?
      /// For `delay`: how long the card waits before it answers, 1...60000 ms.
      public var milliseconds: Int?
      /// For `value`: the bytes in place of the value, in hexadecimal.
      public var value: String?
      /// For `added`: the further data objects, encoded, in hexadecimal.
      public var objects: String?

      /// Creates a kind.
      public init(
        _ kind: String, status: String? = nil, keepsData: Bool? = nil, by: Int? = nil, octets: Int? = nil,
        milliseconds: Int? = nil, value: String? = nil, objects: String? = nil
      ) {
        self.kind = kind
        self.status = status
        self.keepsData = keepsData
        self.by = by
        self.octets = octets
        self.milliseconds = milliseconds
        self.value = value
        self.objects = objects
      }
    }
  }
}
