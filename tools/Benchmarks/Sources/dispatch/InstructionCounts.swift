import Foundation

/// Runs this program again under callgrind, which counts instructions exactly.
enum InstructionCounts {
  enum Failure: Error, CustomStringConvertible {
    case program(String, Int32)
    case missing(String)

    var description: String {
      switch self {
      case .program(let name, let status): "\(name) ended with status \(status): apt-get install valgrind binutils"
      case .missing(let name): "callgrind wrote no counts named \"\(name)\""
      }
    }
  }

  /// The instructions of one command, for each command and each card; nil for a command that is not measured.
  static func measure(_ commands: [DispatchCommand]) throws -> [[Double?]] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "dispatch-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let copy = folder.appending(path: "dispatch").path
    // WORKAROUND: valgrind 3.19: it cannot read the debug information of the C objects.
    try run(
      "strip",
      ["--strip-debug", "-o", copy, try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")])
    try run(
      "valgrind",
      ["--quiet", "--tool=callgrind", "--callgrind-out-file=\(folder.path)/counts", copy, Dispatch.countingArgument])
    let totals = try totals(in: folder)
    return try commands.indices.map { row in
      try Subject.allCases.indices.map { column in
        guard commands[row].isMeasured else { return nil }
        let found = try Comparison.countedRuns.map { times in
          let name = "\(row) \(column) \(times)"
          let counts = (0..<Comparison.repetitions).compactMap { totals["\(name) \($0)"] }
          guard let least = counts.min() else { throw Failure.missing(name) }
          return (times, least)
        }
        return Double(found[1].1 - found[0].1) / Double(found[1].0 - found[0].0)
      }
    }
  }

  /// The total of each file that callgrind wrote, by the name under which the program asked for it.
  private static func totals(in folder: URL) throws -> [String: Int] {
    var totals: [String: Int] = [:]
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    where file.lastPathComponent.hasPrefix("counts.") {
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      let trigger = "desc: Trigger: Client Request: "
      guard let name = lines.first(where: { $0.hasPrefix(trigger) })?.dropFirst(trigger.count),
        let total = lines.first(where: { $0.hasPrefix("totals: ") })?.dropFirst("totals: ".count)
      else { continue }
      totals[String(name)] = Int(total)
    }
    return totals
  }

  private static func run(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure.program(program, process.terminationStatus) }
  }
}
