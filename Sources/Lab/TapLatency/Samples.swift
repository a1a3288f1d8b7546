/// The times of one command, or of one part of a tap, in the order in which they were measured.
struct Samples: Sendable {
  /// The name of the command or the part.
  let name: String
  private(set) var nanoseconds: [Int64] = []

  /// Reserves the memory of all times, so that a measurement does not allocate while it adds them.
  init(_ name: String, capacity: Int) {
    self.name = name
    nanoseconds.reserveCapacity(capacity)
  }

  mutating func add(_ time: Int64) { nanoseconds.append(time) }

  var sum: Int64 { nanoseconds.reduce(0, &+) }
}

/// Times by name, in the order in which the names were first used.
struct SampleTable: Sendable {
  private(set) var rows: [Samples] = []

  /// Adds a time.
  ///
  /// - Parameter capacity: How many times are expected under the name.
  mutating func add(_ name: String, _ time: Int64, capacity: Int) {
    if let index = rows.firstIndex(where: { $0.name == name }) { return rows[index].add(time) }
    rows.append(Samples(name, capacity: capacity))
    rows[rows.count - 1].add(time)
  }

  /// The times under a name; nil for an unknown name.
  subscript(name: String) -> Samples? { rows.first { $0.name == name } }
}
