internal import Documents
internal import EMVTerminal
internal import JSON
internal import Links
internal import PaymentAcceptance

/// The declared keys of what a scenario expects.
enum ExpectationKeys {
  /// What must come of a payment.
  static let payment = [
    ProfileKey(
      "outcome", .oneOrList(.choice(PaymentOutcome.Kind.allCases.map(\.rawValue))), help: "How the payment ends."),
    ProfileKey("message", .oneOrList(.choice(messages)), help: "What the display shows at the end."),
    ProfileKey("display", .oneOrList(.choice(messages)), help: "All messages of the display, in order."),
    ProfileKey(
      "parameters", .map(.oneOrList(.text)), range: 1...Int.max,
      help: "Parameters of the outcome, each with its value: "
        + OutcomeParameter.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ") + "."),
    ProfileKey("leftOut", .text, range: 1...1000, help: "Words of the reason why an application was left out."),
    ProfileKey(
      "cvm", .oneOrList(.choice(CardholderVerificationMethod.allCases.map(\.rawValue))),
      help: "How the cardholder was verified."),
    ProfileKey(
      "cryptogram", .oneOrList(.choice(ObjectReader.cryptograms.map { $0.0 })), help: "What the card computed."),
    ProfileKey(
      "secondCryptogram", .oneOrList(.choice(ObjectReader.secondCryptograms.map { $0.0 })),
      help: "What the card computed after the issuer's response."),
    ProfileKey(
      "cardState", .oneOrList(.choice(CardCondition.allCases.map(\.rawValue))),
      help: "What the issuer has done to the card; for a card in this process only."),
    ProfileKey(
      "application", .oneOrList(.octets), range: 5...16, help: "The name of the selected application, or its beginning."
    ),
    ProfileKey("reason", .text, range: 1...1000, help: "Words of the reason of the outcome."),
    ProfileKey(
      "error",
      .oneOrList(.choice(ObjectReader.errors.map { $0.0 })), help: "The error with which the link fails."),
    exchanges, tags,
    ProfileKey(
      "status", .map(.oneOrList(.text)), range: 1...Int.max,
      help: "Status words by command: `{GPO: 9000, every command: [9000, 6283]}`; `xx` stands for any second byte."),
    milliseconds,
  ]

  /// What a card must answer to a step.
  static let step = [
    ProfileKey(
      "status", .oneOrList(.text), help: "The status word: four hexadecimal digits, `x` for any of them."),
    tags,
    ProfileKey("milliseconds", .decimal, help: "The longest time."),
  ]

  /// What must come of all steps of a card.
  static let card = [
    ProfileKey(
      "rules", .oneOrList(.choice(CardRule.allCases.map(\.rawValue))), help: "Rules for all responses."),
    tags,
    ProfileKey("fresh", .oneOrList(.text), help: "Tags whose value is another one each time."),
    ProfileKey("constant", .oneOrList(.text), help: "Tags whose value is always the same."),
    ProfileKey("rising", .oneOrList(.text), help: "Tags whose value is higher each time."),
    ProfileKey("distinct", .oneOrList(.text), help: "Commands whose responses differ in all taps."),
    milliseconds,
  ]

  /// What a terminal must do.
  static let terminal = [
    ProfileKey(
      "commands", .list(.either(.oneOrList(.text), .map(.either(.integer, .object(counts))))), range: 1...Int.max,
      help: "All commands in order: a name, a list of alternatives, or `{READ RECORD: {least: 1, most: 4}}`."),
    exchanges,
    ProfileKey(
      "presentations", .either(.integer, .object(counts)), range: 0...1024,
      help: "How often the terminal begins with the card."),
    ProfileKey(
      "applications", .oneOrList(.octets), range: 5...16, help: "The names of the applications that are selected."),
    ProfileKey(
      "rules", .oneOrList(.choice(TerminalRule.allCases.map(\.rawValue))), help: "Rules for all commands."),
    ProfileKey(
      "bytes", .map(.text), range: 1...Int.max,
      help: "The bytes of commands from the first one on, `xx` for any: `{GPO: 80 A8 00 00}`."),
    tags,
    ProfileKey("fresh", .oneOrList(.text), help: "Tags whose value is another one in each tap."),
    ProfileKey(
      "shown", .oneOrList(.choice(TerminalExpectations.Shown.allCases.map(\.rawValue))),
      help: "What a person sees at the end."),
    milliseconds,
  ]

  private static let messages = ObjectReader.messages.map { $0.0 }

  private static let counts = ["least", "most"].map { name in
    ProfileKey(name, .integer, range: 0...1024, help: "The \(name) number.")
  }

  private static let exchanges = ProfileKey(
    "exchanges", .either(.integer, .object(counts)), range: 0...1024, help: "The number of exchanges.")

  private static let milliseconds = ProfileKey(
    "milliseconds", .map(.decimal), range: 1...Int.max,
    help: "The longest times by command, and of the `whole tap`: `{GPO: 100, whole tap: 400}`.")

  private static let condition = [
    ProfileKey("equals", .octets, range: 0...255, help: "The value."),
    ProfileKey("mask", .octets, range: 0...255, help: "The bits of `equals` that count."),
    ProfileKey("length", .integer, range: 0...255, help: "The number of bytes."),
    ProfileKey(
      "bits", .map(.either(.flag, .text)), range: 1...Int.max,
      help: "Bits by name or by place, `true` when set, and fields with their number or meaning."),
  ]

  private static let tags = ProfileKey(
    "tags", .map(.either(.either(.text, .flag), .object(condition))), range: 1...Int.max,
    help: "Data elements by tag or name: `{9F27: 80, CTQ: {bits: {CDCVM performed: true}}, 9F36: present}`.")
}
