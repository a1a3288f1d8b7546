import DisplayText
import HTMLPages
import ProductSimulation
import SimulationRules

/// What happened in the runs of a command.
struct SimulationSummary {
  /// A broken rule with the shortest list of steps that breaks it.
  struct Failure {
    let seed: UInt64
    let failure: Simulation.Failure
    let steps: [SimulationStep]
    /// The log of these steps.
    let log: [String]
  }

  let seed: UInt64
  private(set) var runs = 0
  private(set) var steps = 0
  private var kinds: [String: Int] = [:]
  private var disturbances: [String: Int] = [:]
  private var facts: [String: Int] = [:]
  var failure: Failure?
  var duration = Duration.zero

  init(seed: UInt64) { self.seed = seed }

  /// Adds a run, with the steps that were drawn and the lines of those that were made.
  mutating func add(_ drawn: [SimulationStep], _ log: [String]) {
    runs += 1
    let made = log.count { !$0.hasPrefix(" ") }
    steps += made
    for step in drawn.prefix(made) {
      kinds["\(step.kind)".word, default: 0] += 1
      if let disturbance = step.disturbance { disturbances[disturbance.name, default: 0] += 1 }
    }
    for line in log where line.hasPrefix(" ") { facts[line.trimmed.word, default: 0] += 1 }
  }

  private var rate: Int { Int(Double(steps) / max(0.001, duration / .seconds(1))) }

  private var figures: String {
    "\(runs) runs from seed \(seed), \(steps) steps in \(duration), \(rate) steps a second, "
      + "\(disturbances.values.reduce(0, +)) disturbances. Secrets are hashed with the least cost of scrypt."
  }

  /// The summary for a console.
  var text: String {
    guard let failure else { return "no rule was broken: \(figures)" }
    let steps = failure.steps.map { "  \($0)" }.joined(separator: "\n")
    return """
      the shortest list of steps that still fails:
      \(steps)
      \(figures)
      """
  }

  /// The summary as a page.
  var page: String {
    let headline: HTML =
      failure.map { "<h1 class=\"bad\">Broken: \($0.failure.violation.rule)</h1>\n" }
      ?? "<h1 class=\"good\">No rule was broken</h1>\n"
    let rules = SimulationLedger.all.map { "<li>\($0.name)</li>\n" as HTML }
    let body: HTML = """
      <main>
      \(headline)<p>\(figures)</p>
      \(failure.map(Self.timeline) ?? .empty)<h2>Steps</h2>
      \(Self.table(kinds))<h2>Disturbances</h2>
      \(Self.table(disturbances))<h2>What was seen</h2>
      \(Self.table(facts))<h2>Rules</h2>
      <ul>
      \(rules)</ul>
      </main>
      """
    return PageDesign().savedDocument("Simulation", body).text
  }

  private static func timeline(_ failure: Failure) -> HTML {
    let lines = failure.log.joined(separator: "\n")
    return """
      <p>Seed \(String(failure.seed)), step \(String(failure.failure.step)): \(failure.failure.violation.reason)</p>
      <h2>The shortest list of steps that still fails, with what was seen</h2>
      <pre>\(lines)</pre>

      """
  }

  private static func table(_ counts: [String: Int]) -> HTML {
    let rows = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
      "<tr><th scope=\"row\">\($0.key)</th><td>\(String($0.value))</td></tr>\n" as HTML
    }
    return "<table><tbody>\n\(rows)</tbody></table>\n"
  }
}

extension SimulationStep.Disturbance {
  /// The disturbance without its numbers.
  fileprivate var name: String {
    switch self {
    case .message(let fault, _): "message \(fault.rawValue)"
    case .phone(let fault, _): "phone \(fault.rawValue)"
    case .server(let fault, _): "server \(fault.rawValue)"
    }
  }
}

extension String {
  fileprivate var trimmed: String { String(drop { $0 == " " }) }

  /// The text before the first bracket.
  fileprivate var word: String { String(prefix { $0 != "(" }) }
}
