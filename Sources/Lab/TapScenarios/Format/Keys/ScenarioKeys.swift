public import Documents
internal import DeviceAuthentication
internal import JSON
internal import PaymentAcceptance

extension TapScenario {
  /// The keys of a scenario, from which its schema and the table of its keys are made. The reader of a scenario checks more:
  /// the names of commands and data elements, and the rules between values.
  public static var keys: [ProfileKey.Shape] {
    [
      .init("role: card", when: .value("role", "card"), ScenarioKeys.head + ScenarioKeys.terminalTest),
      .init("steps", when: .present("steps"), ScenarioKeys.head + ScenarioKeys.cardTest),
      .init("payment", when: .otherwise, ScenarioKeys.head + ScenarioKeys.payment),
    ]
  }
}

/// The declared keys of a scenario.
enum ScenarioKeys {
  /// The keys of every scenario.
  static let head: [ProfileKey] = [
    .schemaReference,
    ProfileKey("name", .text, isRequired: true, range: 1...200, help: "The name of the test."),
    ProfileKey("description", .text, range: 1...1000, help: "What the test is for."),
    ProfileKey(
      "role", .choice(["terminal", "card"]), default: "terminal",
      help: "The side that this project takes: `terminal` judges a card, `card` judges a terminal."),
    ProfileKey("prompt", .text, range: 1...1000, help: "What the person at the reader is told before each tap."),
    ProfileKey("repeat", .integer, range: TapScenario.repeatCounts, default: 1, help: "The number of taps."),
    ProfileKey("timeout", .integer, range: TapScenario.timeouts, help: "The longest wait for a card, in seconds."),
  ]

  private static let card = ProfileKey(
    "card",
    .object([
      ProfileKey("file", .text, range: 1...1000, help: "A card profile, relative to the scenario."),
      ProfileKey(
        "verified", .flag, default: true,
        help: "Whether the cardholder is verified; otherwise the card can only refuse."),
      ProfileKey("faults", .flag, default: false, help: "Whether the card commits the faults of its profile."),
    ]), help: "The card of `--reader loopback`.")
  private static let destructive = ProfileKey(
    "destructive", .flag, default: false,
    help: "Whether the taps spend many uses or may block the card: not applicable without `--destructive` then.")

  /// The keys of a payment that judges a card.
  static let payment =
    [
      ProfileKey(
        "amount", .text, isRequired: true, range: 1...20, help: "The amount in the main unit of the currency: `12.34`."),
      card, destructive,
      ProfileKey(
        "expect", .object(ExpectationKeys.payment), isRequired: true, range: 1...Int.max,
        help: "What must come of a tap."),
    ] + paymentOrder

  /// The keys of a payment at this project's terminal, whichever side it judges.
  private static let paymentOrder = [
    ProfileKey(
      "terminal", .either(.text, .document(name: "terminal profile", schema: "terminal-profile.schema.json")),
      help: "A terminal profile, relative to the scenario, or the profile itself; an attended shop when left out."),
    ProfileKey(
      "type", .choice(PaymentKind.allCases.map(\.rawValue)),
      help: "What the payment is for: tag 9C; a purchase when left out, with cashback if there is one."),
    ProfileKey("cashback", .text, range: 1...20, help: "The part of the amount that is paid out in cash: tag 9F03."),
    ProfileKey(
      "currency", .text, isRequired: true, range: 3...3, help: "Letters or digits (ISO 4217): `EUR` or `978`."),
    ProfileKey("date", .text, range: 10...10, help: "The date of the terminal, `2026-01-31`; today when left out."),
    ProfileKey("time", .text, range: 8...8, help: "The time of the terminal, `09:05:00`; now when left out."),
    ProfileKey(
      "issuer", .either(.choice(["test", "none"]), .object(issuerOrder)), range: 1...Int.max, default: "test",
      help: "The host that decides on online requests: the test issuer, none, or what the test issuer responds."),
    ProfileKey(
      "restarts", .integer, range: TapScenario.restartCounts, default: 0,
      help: "How often the payment is tried again after \"see phone\" and torn taps."),
  ]

  private static let issuerOrder = [
    ProfileKey("decision", .choice(["approve", "decline"]), default: "approve", help: "What the issuer decides."),
    ProfileKey(
      "authentication", .either(.choice(["right", "wrong", "none"]), .octets), default: "right",
      help: "The issuer authentication data (tag 91), or these bytes in their place."),
    ProfileKey(
      "scripts", .oneOrList(.either(.octets, .object(script))),
      help: "The issuer scripts, or the bytes of their templates."),
    ProfileKey("delay", .integer, range: 0...60_000, default: 0, help: "How late the response comes, in milliseconds."),
  ]

  private static let script = [
    ProfileKey(
      "when", .choice(["before", "after"]), isRequired: true,
      help: "Template 71, before the second cryptogram, or 72, after it.", source: "EMV 4.4 Book 3, 10.10"),
    ProfileKey("identifier", .octets, range: 4...4, help: "Tag 9F18."),
    ProfileKey(
      "commands", .oneOrList(.text), isRequired: true,
      help: "`block application`, `unblock application`, `block card`, or `put data 9F58 07`."),
  ]

  /// Its place in a pack.
  private static let identity = [
    ProfileKey("id", .text, isRequired: true, range: 1...40, help: "The identifier of the test."),
    ProfileKey("rule", .text, isRequired: true, range: 1...300, help: "The rule, with book and section."),
    ProfileKey(
      "finds",
      .object([
        ProfileKey("fault", .text, isRequired: true, range: 1...100, help: "The name of the fault."),
        ProfileKey("by", .text, isRequired: true, range: 1...100, help: "How the difference begins that finds it."),
      ]), help: "The fault that the test is there to find."),
    ProfileKey(
      "severity", .choice(PackTest.Severity.allCases.map(\.rawValue)), default: "failure",
      help: "`warning` where only public code or recordings support the rule."),
  ]

  /// The keys of a test of a card by steps.
  static let cardTest =
    identity + [
      card, destructive,
      ProfileKey(
        "application", .octets, range: 5...16,
        help: "The beginning of the name of the application that is judged; the first of the directory when left out."),
      ProfileKey("kernel", .integer, range: 1...63, help: "The kernel of that application; any when left out."),
      values,
      ProfileKey(
        "steps", .list(.object(step)), isRequired: true, range: 1...Int.max, help: "What the terminal does, in order."),
      ProfileKey(
        "expect", .object(ExpectationKeys.card), range: 1...Int.max, help: "What must come of all steps together."),
    ]

  private static let values = ProfileKey(
    "values", .map(.octets), range: 1...Int.max,
    help: "The values of the terminal for the lists of the card, by tag: `{9F02: \"000000007500\"}`.")

  private static let step = [
    ProfileKey(
      "send", .either(.text, .object(command)),
      help:
        "A command: `SELECT PPSE`, `SELECT AID`, `GPO`, `READ RECORDS`, `READ RECORD 2`, `GENERATE AC`, `CCC`, `CRYPTOGRAM`, "
        + "`RRP`, `GET DATA`, or its fields."),
    ProfileKey("reset", .flag, help: "`true` switches the field off and on."),
    ProfileKey("wait", .integer, range: 1...60_000, help: "Waits this many milliseconds."),
    ProfileKey(
      "expect", .object(ExpectationKeys.step), range: 1...Int.max, help: "What the card must answer to the command."),
  ]

  private static let command = [
    ProfileKey("command", .text, help: "The command, whose fields the other keys replace."),
    ProfileKey("bytes", .octets, range: 1...261, help: "The whole command, without any other key."),
    ProfileKey("cla", .octets, range: 1...1, help: "The class."),
    ProfileKey("ins", .octets, range: 1...1, help: "The instruction."),
    ProfileKey("p1", .octets, range: 1...1, help: "P1."),
    ProfileKey("p2", .octets, range: 1...1, help: "P2."),
    ProfileKey("data", .octets, range: 0...255, help: "The data."),
    ProfileKey("le", .wordOr("none", .octets), range: 1...1, help: "Le, or none."),
    values,
  ]

  /// The keys of a test of a terminal.
  static let terminalTest =
    identity + [
      ProfileKey(
        "needs", .oneOrList(.choice(TestedCapabilities.Verification.allCases.map(\.rawValue))),
        help: "Methods of cardholder verification that the terminal must have."),
      ProfileKey(
        "amount", .oneOrList(.either(.text, .object(amountBesideLimit))), isRequired: true, range: 1...20,
        help: "The amount: `12.34`, one for each tap, or one beside a limit of the terminal: `{above: cvmLimit}`."),
      ProfileKey("card", .object(presentedCard), isRequired: true, help: "The card, and what it does."),
      ProfileKey(
        "expect", .object(ExpectationKeys.terminal), isRequired: true, range: 1...Int.max,
        help: "What the terminal must do in each tap."),
    ] + paymentOrder

  private static let amountBesideLimit = TestAmount.Relation.allCases.map { relation in
    ProfileKey(
      relation.rawValue, .choice(TestAmount.Limit.allCases.map(\.rawValue)),
      help: "An amount \(relation.rawValue) this limit of the terminal.")
  }

  private static let presentedCard = [
    ProfileKey(
      "file", .text, isRequired: true, range: 1...1000, help: "A card profile, relative to the scenario."),
    ProfileKey(
      "changes", .map(.any), range: 1...Int.max,
      help: "Changes of the profile: a path such as `applications[0].aip` and the new value, or nothing to remove it."),
    ProfileKey("wire", .any, help: "Changes of the responses: rules as in `faults` of a card profile."),
    ProfileKey(
      "policy", .choice([CardholderVerificationPolicy.biometricOnly, .userPresence].map { "\($0)" }),
      default: "biometricOnly", help: "How the cardholder must be verified."),
    ProfileKey(
      "verified", .flag, default: true, help: "Whether the cardholder is verified; otherwise the card can only refuse."),
    ProfileKey(
      "verification", .choice(["valid", "expired"]), default: "valid",
      help: "Whether the verification has expired when the terminal comes."),
    ProfileKey("leavesAfter", .integer, range: 1...255, help: "After which exchange the card leaves, once in a tap."),
    ProfileKey(
      "leavesAfterByte", .integer, range: 2...255,
      help: "How many bytes of that response are sent before the card leaves."),
    ProfileKey(
      "comesBack", .flag, default: true, help: "Whether it comes back when the terminal waits for a card."),
    ProfileKey("comesBackAfter", .integer, range: 1...120_000, help: "How long it stays away, in milliseconds."),
    ProfileKey(
      "tapsAgainAfter", .integer, range: 1...120_000,
      help: "After how many milliseconds the card is tapped once more when the payment is over."),
  ]
}
