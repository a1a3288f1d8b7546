import Documents
import EMVData
import ISO7816
import PaymentAcceptance
import TapScenarios
import Testing

/// The key `issuer` of a scenario.
@Suite("The issuer of a scenario")
struct IssuerOrderTests {
  static func scenario(_ issuer: String, _ expect: String = "outcome: approved") throws(ScenarioError) -> TapScenario {
    try TapScenario(
      parsing: Array("name: A\namount: 1.00\ncurrency: EUR\nissuer: \(issuer)\nexpect: {\(expect)}\n".utf8))
  }

  @Test func `an order has a decision, tag 91 and scripts`() throws {
    let scenario = try Self.scenario(
      """
      {decision: decline, authentication: wrong, scripts: [{when: after, identifier: "00000007", \
      commands: [block application, unblockApplication, block card, put data 9F58 07 08]}]}
      """, "secondCryptogram: [AAC, none], cardState: card blocked")
    guard case .ordered(let order) = scenario.issuer else {
      Issue.record("\(scenario.issuer)")
      return
    }
    #expect(order.declines && order.authentication == .wrong && order.templates.isEmpty)
    #expect(
      order.scripts == [
        ScriptOrder(
          .afterSecondCryptogram, identifier: 7,
          [.blockApplication, .unblockApplication, .blockCard, .putData(0x9F58, [7, 8])])
      ])
    #expect(scenario.expectations.secondCryptograms.map(\.description) == ["AAC", "none"])
    #expect(scenario.expectations.cardConditions == [.cardBlocked])
  }

  @Test func `tag 91 and templates may be bytes`() throws {
    let scenario = try Self.scenario(#"{authentication: "0102", scripts: 7105 86}"#)
    var order = IssuerOrder()
    (order.authentication, order.templates) = (.octets([1, 2]), [0x71, 0x05, 0x86])
    #expect(scenario.issuer == .ordered(order))
  }

  @Test(arguments: [
    ("{}", "nothing is ordered"), ("{decision: perhaps}", "is not one of approve, decline"),
    ("{authentication: yes}", "right, wrong, none or bytes"),
    ("{scripts: [{when: before}]}", ".commands: text is missing"),
    ("{scripts: [{when: now, commands: [block card]}]}", "is not one of before, after"),
    ("{scripts: [{when: after, commands: [update record]}]}", "is no command: block application"),
    ("{scripts: [{when: after, commands: [put data 9F58]}]}", "is no command: block application"),
    ("{scripts: [{when: after, identifier: 07, commands: [block card]}]}", "4 bytes in hexadecimal are needed"),
    ("{scrips: []}", "did you mean scripts?"),
  ])
  func `an order that cannot be read is reported`(_ issuer: String, _ reason: String) throws {
    let error = try #require(throws: ScenarioError.self) { try Self.scenario(issuer) }
    #expect(error.problems.contains { $0.description.contains(reason) }, "\(error)")
  }
}
