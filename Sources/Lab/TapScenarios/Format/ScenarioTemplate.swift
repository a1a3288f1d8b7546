internal import JSON

/// A scenario to begin with, with comments.
public struct ScenarioTemplate: Sendable {
  /// What the scenario judges.
  public enum Kind: String, CaseIterable, Sendable {
    /// A card, by a payment.
    case payment
    /// A card, by single commands.
    case steps
    /// A terminal, by the payments of a card.
    case terminal
  }

  /// What the scenario judges.
  public let kind: Kind
  /// The name of the test, 1 to 200 characters.
  public let name: String
  /// The card profile, relative to the scenario's file.
  public let card: String

  /// Creates a template.
  public init(_ kind: Kind, name: String, card: String) { (self.kind, self.name, self.card) = (kind, name, card) }

  /// The scenario in YAML. It passes at the loopback with the card of `tap card new`.
  public var yaml: String {
    // A text of JSON is one of YAML.
    let (name, card) = (JSONValue(name).compact, JSONValue(card).compact)
    let head = """
      # yaml-language-server: $schema=scenario.schema.json
      # The schema for editors: tap scenario schema > scenario.schema.json
      # All keys: tap scenario keys
      name: \(name)

      """
    let body =
      switch kind {
      case .payment: Self.payment(card)
      case .steps: Self.steps(card)
      case .terminal: Self.terminal(card)
      }
    return head + body
  }

  private static func payment(_ card: String) -> String {
    """
    amount: 12.34
    currency: EUR
    card:
      file: \(card)             # for --reader loopback; a reader has its own card
    expect:
      outcome: approved         # or declined, online request, see phone, ...; a list for alternatives
      cvm: CDCVM                # the cardholder was verified on the device
      cryptogram: ARQC
      status:
        every command: 9000
      tags:
        9F36: present           # hexadecimal, present, absent, or equals, mask, length, bits
      milliseconds:
        whole tap: 2000

    """
  }

  private static func steps(_ card: String) -> String {
    """
    id: OWN-1
    rule: EMV 4.4 Book 1, 11.3  # the rule that the test checks
    card:
      file: \(card)             # for --reader loopback; a reader has its own card
    steps:
      - send: SELECT PPSE
        expect: {status: 9000, tags: {4F: present}}
      - send: SELECT AID
        expect: {status: 9000}
      - send: {command: GPO, le: "00"}   # other fields: cla, ins, p1, p2, data, values
        expect: {status: 9000}
    expect:
      rules: form of responses

    """
  }

  private static func terminal(_ card: String) -> String {
    """
    role: card
    id: OWN-1
    rule: EMV 4.4 Book 3, 10.2  # the rule that the test checks
    amount: 12.34
    currency: EUR
    card:
      file: \(card)             # the card that the terminal gets
    expect:
      rules: [form of commands, records of the AFL]
      shown: approved           # what a person sees at the end

    """
  }
}
