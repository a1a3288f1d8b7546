import Documents
import Foundation
import JSON
import TapScenarios
import Testing

/// Every key of scenario and capability files with a wrong value: the problem is at the place of the key.
@Suite("Wrong values of every key")
struct WrongKeysTests {
  /// A file with one map that is changed.
  struct Form: Sendable, CustomTestStringConvertible {
    let name: String
    /// The path of the map, such as `$.card`.
    let path: String
    /// The members of the map, as YAML on one line each.
    let members: [String: String]
    /// The text around the map.
    let file: @Sendable (_ map: String) -> String
    /// A wrong value of each key, and where the problem is, after the path of the map, when that is not the key.
    let wrong: [String: (value: String, place: String?)]

    var testDescription: String { name }

    init(
      _ name: String, _ path: String, _ members: [String: String], _ wrong: [String: String],
      places: [String: String] = [:], in file: @escaping @Sendable (String) -> String = { $0 }
    ) {
      (self.name, self.path, self.members, self.file) = (name, path, members, file)
      self.wrong = Dictionary(uniqueKeysWithValues: wrong.map { ($0, (value: $1, place: places[$0])) })
    }

    func text(_ changes: [String: String]) -> String {
      let all = members.merging(changes) { $1 }.sorted { $0.key < $1.key }.map { "\"\($0)\": \($1)" }
      return file("{" + all.joined(separator: ", ") + "}")
    }
  }

  /// The problems of a scenario as `path: reason`.
  static func problems(_ text: String) -> [String] {
    do throws(ScenarioError) {
      _ = try TapScenario(parsing: Array(text.utf8))
      return []
    } catch { return error.problems.map { "\($0.path): \($0.reason)" } }
  }

  @Test(arguments: scenarios) func `a wrong value of each key of a scenario is a problem at its place`(_ form: Form) {
    #expect(Self.problems(form.text([:])) == [], "\(form.text([:]))")
    for (key, (value, place)) in form.wrong.sorted(by: { $0.key < $1.key }) {
      let found = Self.problems(form.text([key: value]))
      let start = place.map { "\($0)" } ?? "\(form.path).\(key)"
      #expect(found.contains { $0.hasPrefix(start) }, "\(key): \(value): \(start) is not in \(found)")
    }
  }

  @Test(arguments: scenarios) func `the table has every key that the format knows`(_ form: Form) throws {
    let unknown = try #require(Self.problems(form.text(["zz": "1"])).first { $0.hasPrefix("\(form.path).zz: ") })
    let known = try #require(unknown.split(separator: "there are ").last).components(separatedBy: ", ")
    #expect(Set(form.wrong.keys) == Set(known), "\(form.name)")
  }

  static let scenarios: [Form] = [
    Form(
      "payment", "$", ["name": "A", "amount": "1.00", "currency": "EUR", "expect": "{cvm: CDCVM}"],
      [
        "name": "[x]", "description": "[x]", "terminal": "[x]", "amount": "[x]", "cashback": "[x]", "type": "gift",
        "currency": "EURO",
        "date": "x", "time": "x", "issuer": "bank", "prompt": "[x]", "repeat": "0", "timeout": "0", "restarts": "21",
        "card": "x", "expect": "x", "role": "both", "steps": "x", "destructive": "perhaps", "$schema": "[x]",
      ]),
    Form(
      "expectations of a payment", "$.expect", ["exchanges": "5"],
      [
        "outcome": "x", "message": "x", "display": "x", "parameters": "x", "leftOut": "[x]", "cvm": "x",
        "cryptogram": "x", "secondCryptogram": "x", "cardState": "x", "application": "A0", "reason": "[x]",
        "error": "x", "exchanges": "x", "tags": "x", "status": "x", "milliseconds": "x",
      ]
    ) { "{name: A, amount: 1.00, currency: EUR, expect: \($0)}" },
    Form(
      "issuer", "$.issuer", ["decision": "approve"],
      ["decision": "x", "authentication": "x", "scripts": "x", "delay": "-1"]
    ) { "{name: A, amount: 1.00, currency: EUR, expect: {cvm: CDCVM}, issuer: \($0)}" },
    Form(
      "script", "$.issuer.scripts[0]", ["when": "before", "commands": "block card"],
      ["when": "x", "identifier": "x", "commands": "x"]
    ) { "{name: A, amount: 1.00, currency: EUR, expect: {cvm: CDCVM}, issuer: {scripts: [\($0)]}}" },
    Form("card of a payment", "$.card", ["file": "c.json"], ["file": "[x]", "verified": "x", "faults": "x"]) {
      "{name: A, amount: 1.00, currency: EUR, expect: {cvm: CDCVM}, card: \($0)}"
    },
    Form(
      "terminal test", "$",
      [
        "role": "card", "id": "A", "name": "A", "rule": "r", "amount": "1.00", "currency": "EUR",
        "card": "{file: c.json}", "expect": "{exchanges: 1}",
      ],
      [
        "name": "[x]", "description": "[x]", "terminal": "[x]", "amount": "[1.00, x]", "cashback": "[x]",
        "type": "gift",
        "currency": "EURO", "date": "x", "time": "x", "issuer": "bank", "prompt": "[x]", "repeat": "0", "timeout": "0",
        "restarts": "21", "card": "x", "expect": "x", "role": "both", "id": "[x]", "rule": "[x]",
        "finds": "{fault: [x], by: y}", "severity": "fatal", "needs": "x", "steps": "[{send: GPO}]", "$schema": "[x]",
      ], places: ["amount": "$.amount[1]: ", "finds": "$.finds.fault: "]),
    Form(
      "card of a terminal test", "$.card", ["file": "c.json", "leavesAfter": "3"],
      [
        "file": "[x]", "changes": "x", "wire": "x", "policy": "x", "verified": "x", "verification": "old",
        "leavesAfter": "0", "leavesAfterByte": "1", "comesBack": "x", "comesBackAfter": "0", "tapsAgainAfter": "0",
      ]
    ) { "{role: card, id: A, name: A, rule: r, amount: 1.00, currency: EUR, expect: {exchanges: 1}, card: \($0)}" },
    Form(
      "expectations of a terminal test", "$.expect", ["exchanges": "5"],
      [
        "commands": "x", "exchanges": "x", "presentations": "x", "applications": "A0", "rules": "x", "bytes": "x",
        "tags": "x", "fresh": "x", "shown": "x", "milliseconds": "x",
      ]
    ) { "{role: card, id: A, name: A, rule: r, amount: 1.00, currency: EUR, card: {file: c.json}, expect: \($0)}" },
    Form(
      "card test", "$", ["id": "A", "name": "A", "rule": "r", "steps": "[{send: GPO}]"],
      [
        "name": "[x]", "description": "[x]", "role": "both", "prompt": "[x]", "repeat": "0", "timeout": "0",
        "card": "x", "expect": "x", "id": "[x]", "rule": "[x]", "finds": "{fault: x, by: [y]}", "severity": "fatal",
        "destructive": "x", "application": "A0", "kernel": "0", "values": "x", "steps": "x", "$schema": "[x]",
      ], places: ["finds": "$.finds.by: "]),
    Form("card of a card test", "$.card", ["file": "c.json"], ["file": "[x]", "verified": "x", "faults": "x"]) {
      "{id: A, name: A, rule: r, steps: [{send: GPO}], card: \($0)}"
    },
    Form(
      "expectations of a card test", "$.expect", ["fresh": "9F26"],
      [
        "rules": "x", "tags": "x", "fresh": "x", "constant": "x", "rising": "x", "distinct": "x", "milliseconds": "x",
      ]
    ) { "{id: A, name: A, rule: r, steps: [{send: GPO}], expect: \($0)}" },
    Form(
      "step", "$.steps[0]", ["send": "GPO"],
      ["send": "x", "reset": "x", "wait": "x", "expect": "x"],
      places: ["reset": "$.steps[0]: ", "wait": "$.steps[0]: "]
    ) { "{id: A, name: A, rule: r, steps: [\($0)]}" },
    Form(
      "command of a step", "$.steps[0].send", ["command": "GPO"],
      [
        "command": "x", "bytes": "x", "cla": "x", "ins": "x", "p1": "x", "p2": "x", "data": "x", "le": "x",
        "values": "x",
      ], places: ["bytes": "$.steps[0].send: "]
    ) { "{id: A, name: A, rule: r, steps: [{send: \($0)}]}" },
    Form(
      "expectations of a step", "$.steps[0].expect", ["status": "9000"],
      ["status": "x", "tags": "x", "milliseconds": "x"]
    ) { "{id: A, name: A, rule: r, steps: [{send: GPO, expect: \($0)}]}" },
  ]

  static func capabilities(
    kernels: String = "[{number: 3}]", application: String = "{aids: [A000000003], kernel: 3}", _ further: String = ""
  ) -> String {
    "{product: P, kernels: \(kernels), currencies: [EUR], applications: [\(application)]\(further)}"
  }

  static let capabilityForms: [Form] = [
    Form(
      "capabilities", "$",
      [
        "product": "P", "kernels": "[{number: 3}]", "currencies": "[EUR]",
        "applications": "[{aids: [A000000003], kernel: 3}]",
      ],
      [
        "$schema": "[x]", "product": "[x]", "version": "[x]", "kernels": "x", "currencies": "[x]", "applications": "x",
        "verificationMethods": "[x]", "authorityKeys": "x", "display": "x",
      ], places: ["currencies": "$.currencies[0]: ", "verificationMethods": "$.verificationMethods[0]: "]),
    Form("kernel", "$.kernels[0]", ["number": "3"], ["number": "0", "version": "[x]"]) {
      capabilities(kernels: "[\($0)]")
    },
    Form(
      "application", "$.applications[0]", ["aids": "[A000000003]", "kernel": "3"],
      ["aids": "[A0]", "kernel": "4", "qualifiers": "36", "limits": "x"],
      places: ["aids": "$.applications[0].aids[0]: "]
    ) { capabilities(application: $0) },
    Form(
      "limits", "$.applications[0].limits[0]", ["currency": "EUR"],
      ["currency": "USD", "contactless": "x", "cvm": "x", "floor": "-1"]
    ) { capabilities(application: "{aids: [A000000003], kernel: 3, limits: [\($0)]}") },
    Form(
      "authority key", "$.authorityKeys[0]", ["provider": "A000000003", "index": "\"01\""],
      ["provider": "A0", "index": "0102"]
    ) { capabilities(", authorityKeys: [\($0)]") },
  ]

  static func capabilityProblems(_ text: String) -> [String] {
    do throws(TestedCapabilitiesError) {
      _ = try TestedCapabilities(parsing: Array(text.utf8))
      return []
    } catch { return error.problems.map { "\($0.path): \($0.reason)" } }
  }

  @Test(arguments: capabilityForms)
  func `a wrong value of each key of a capability file is a problem at its place`(_ form: Form) {
    #expect(Self.capabilityProblems(form.text([:])) == [], "\(form.text([:]))")
    for (key, (value, place)) in form.wrong.sorted(by: { $0.key < $1.key }) {
      let found = Self.capabilityProblems(form.text([key: value]))
      let start = place ?? "\(form.path).\(key)"
      #expect(found.contains { $0.hasPrefix(start) }, "\(key): \(value): \(start) is not in \(found)")
    }
  }

  @Test func `the table has every key of a capability file`() {
    func names(_ keys: [ProfileKey], _ path: String) -> [String] {
      keys.flatMap { key -> [String] in
        guard case .list(.object(let inner), each: _) = key.kind else { return ["\(path).\(key.name)"] }
        return ["\(path).\(key.name)"] + names(inner, "\(path).\(key.name)[0]")
      }
    }
    let listed = Self.capabilityForms.flatMap { form in form.wrong.keys.map { "\(form.path).\($0)" } }
    #expect(Set(listed) == Set(names(TestedCapabilities.keys, "$")))
  }
}
