internal import Documents
internal import JSON

/// The keys of a fault plan.
enum FaultKeys {
  static let command = ProfileKey(
    "command", .text,
    help: """
      \(CardFaultPlan.commands.keys.sorted().map { "`\($0)`" }.joined(separator: ", ")), or an instruction byte such \
      as `A8`.
      """)
  static let exchange = ProfileKey(
    "exchange", .integer, range: 1...0xFFFF,
    help: "The number of the command since power or reset; GET RESPONSE and repeated commands count.")
  static let tag = ProfileKey(
    "tag", .octets, range: 1...3,
    help: "A data object that the response must hold; kinds that change a data object change the first with this tag.")
  static let when = ProfileKey(
    "when", .object([command, exchange, tag]),
    help: "The condition: everything that is given must apply; every command when left out.")

  static let status = ProfileKey("status", .octets, isRequired: true, range: 2...2, help: "The status word.")
  static let keepsData = ProfileKey(
    "keepsData", .flag, default: false, help: "Whether the response keeps its data.")
  static let by = ProfileKey(
    "by", .integer, isRequired: true, range: -127...127, help: "The number that is added to a length; not 0.")
  static let missingOctets = ProfileKey(
    "octets", .integer, isRequired: true, range: 1...256, help: "How many bytes before the status word are missing.")
  static let partOctets = ProfileKey(
    "octets", .integer, range: 1...256, default: 256, help: "The most bytes of a part.")
  static let milliseconds = ProfileKey(
    "milliseconds", .integer, isRequired: true, range: 1...CardFaultPlan.maximumDelay,
    help: "How long the card waits. Longer than the terminal waits, it is silence.")

  static let replacement = ProfileKey(
    "value", .octets, isRequired: true, range: 0...252, help: "The bytes in place of the value of the data object.")
  static let objects = ProfileKey(
    "objects", .octets, isRequired: true, range: 2...252,
    help: "The data objects that are added, encoded: after the one that `when` names, else in the outermost template.")

  /// The parameters of each kind of fault.
  static let faultParameters: [String: [ProfileKey]] = [
    "status": [status, keepsData], "bad-tlv": [], "wrong-length": [by], "truncated": [missingOctets],
    "duplicated": [], "missing": [], "delay": [milliseconds], "chained": [partOctets], "length-corrected": [],
    "link-lost": [], "value": [replacement], "added": [objects],
  ]

  /// The names of all parameters.
  static let faultParameterNames = [
    status, keepsData, by, missingOctets, milliseconds, replacement, objects,
  ].map(\.name)

  static let kind = ProfileKey(
    "kind", .choice(CardFaultPlan.kinds), isRequired: true, help: "How the response is wrong; see below.")
  static let what = ProfileKey(
    "what",
    .selected(
      [kind], by: "kind", CardFaultPlan.kinds.map { ProfileKey.Variant(JSONValue($0), faultParameters[$0] ?? []) }),
    isRequired: true, help: "The fault and its parameters.")
  static let times = ProfileKey(
    "times", .integer, range: 1...0xFFFF,
    help: "How often the rule applies at most while the card is presented; without limit when left out.")
  static let percent = ProfileKey(
    "percent", .integer, range: 1...100, default: 100, help: "The probability each time that the fault is due.")
  static let seed = ProfileKey(
    "seed", .integer, range: 0...Int.max, default: 0, help: "The seed of the rule's random choices.")
  static let faults = ProfileKey(
    "faults", .list(.object([when, what, times, percent, seed])), range: 0...CardFaultPlan.maximumRules,
    help: "Wrong answers that the card gives on request; see \"Fault plans\".")
}
