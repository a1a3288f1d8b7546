import ArgumentParser
import ReaderSimulator

/// Which share of the frames of a simulated field fails, and how: `drop=20,corrupt=20,tear=2`.
struct FrameFaults: ExpressibleByArgument {
  /// All kinds, in the order of the help. A late frame is later than the waiting time of most cards.
  private static let kinds: [(name: String, fault: FieldFault)] = [
    ("drop", .drop), ("corrupt", .corrupt), ("delay", .delay(.milliseconds(50))),
    ("tear", .tear(absence: .milliseconds(50))), ("field-off", .fieldOff(.milliseconds(50))),
  ]

  private var chances: [(fault: FieldFault, perMille: Int)] = []

  /// No frame fails.
  init() {}

  init?(argument: String) {
    var names: Set<Substring> = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: "=", omittingEmptySubsequences: false)
      guard words.count == 2, names.insert(words[0]).inserted, let share = Int(words[1]), (0...1000).contains(share),
        let kind = Self.kinds.first(where: { $0.name == words[0] })
      else { return nil }
      chances.append((kind.fault, share))
    }
    guard chances.reduce(0, { $0 + $1.perMille }) <= 1000 else { return nil }
  }

  /// The default in the help.
  var defaultValueDescription: String { "none" }

  static var allValueStrings: [String] { kinds.map { "\($0.name)=0...1000" } }

  /// The plan of a field; everything follows from the seed.
  func plan(seed: UInt64) -> FieldFaultPlan { chances.isEmpty ? .none : .random(seed: seed, chances) }
}
