/// One row of the table: what was done to a card at positions of a command, and what came of it.
struct WalkRow {
  /// The command, or the change that was killed while it was written.
  let subject: String
  /// What was done at each position.
  let act: String
  /// The number of instructions of the command, or of writes.
  let length: Int
  private(set) var stops: [Stop] = []

  /// One position and its outcome.
  struct Stop: Sendable {
    let position: Int
    let outcome: Visit.Outcome
    var fault: String?

    init(_ visit: Visit) { (position, outcome, fault) = (visit.position, visit.outcome, visit.fault) }

    /// A position at which a process was killed.
    init(_ position: Int, fault: String?) {
      (self.position, self.fault) = (position, fault)
      outcome = fault == nil ? .refused : .fault
    }
  }

  init(_ subject: String, _ act: String, length: Int) {
    (self.subject, self.act, self.length) = (subject, act, length)
  }

  mutating func add(_ new: [Stop]) { stops = (stops + new).sorted { $0.position < $1.position } }

  func count(_ outcome: Visit.Outcome) -> Int { stops.count { $0.outcome == outcome } }

  /// The positions with a fault, with names of the functions there.
  func faults(_ name: (Int) -> String) -> [String] {
    stops.compactMap { stop in
      stop.fault.map { "\(subject), \(act), position \(stop.position)\(name(stop.position)): \($0)" }
    }
  }
}
