import TapScenarios
import Testing

/// Expressions over names, as those of pytest.
@Suite("Name expressions")
struct NameExpressionTests {
  static let names = ["Visa, low value", "visa-low-value.yaml"]

  static let truths: [(text: String, isTrue: Bool)] = [
    ("visa", true), ("VISA", true), ("lue", true), ("amex", false), ("not amex", true), ("not visa", false),
    ("visa and low", true), ("visa and high", false), ("high or low", true), ("high or amex", false),
    ("not amex and not high", true), ("amex and high or low", true), ("low or amex and high", true),
    ("(low or amex) and high", false), ("not (amex or high)", true), ("not not visa", true), ("'low value'", true),
    ("\"low  value\"", false), ("'not' or 'and'", false), (".yaml", true), ("( visa )", true), ("visa-low", true),
  ]

  @Test(arguments: truths.indices)
  func `a word is true when a name contains it; not binds closer than and, and closer than or`(_ row: Int) throws {
    let (text, isTrue) = Self.truths[row]
    #expect(try NameExpression(text).matches(Self.names) == isTrue, "\(text)")
  }

  static let faults: [(text: String, message: String)] = [
    ("", "column 1: the end stands where a word"), ("and visa", "column 1: \"and\" stands where a word"),
    ("visa and", "column 9: the end stands where a word"),
    ("visa low", "column 6: \"low\" stands where \"and\", \"or\""),
    ("(visa", "column 6: \")\" is missing"), ("visa)", "column 5: \")\" stands where \"and\""),
    ("()", "column 2: \")\" stands where a word"), ("not", "column 4: the end stands where a word"),
    ("visa 'low", "column 6: the quotation mark has no end"), ("(a b)", "column 4: \")\" is missing"),
  ]

  @Test(arguments: faults.indices)
  func `a fault names its column, what stands there and what is needed`(_ row: Int) {
    let (text, message) = Self.faults[row]
    let fault = #expect(throws: NameExpression.Fault.self) { try NameExpression(text) }
    let description = fault?.description ?? ""
    #expect(description.hasPrefix(message), "\(description)")
  }

  @Test func `an expression has at most 64 levels`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "(", count: depth) + "visa" + String(repeating: ")", count: depth)
    }
    #expect(try NameExpression(nested(63)).matches(Self.names))
    #expect(throws: NameExpression.Fault.self) { try NameExpression(nested(64)) }
    #expect(throws: NameExpression.Fault.self) { try NameExpression(nested(100_000)) }
    #expect(throws: NameExpression.Fault.self) {
      try NameExpression(String(repeating: "not ", count: 100_000) + "visa")
    }
    #expect(try NameExpression(String(repeating: "amex or ", count: 100_000) + "visa").matches(Self.names))
  }
}
