import Foundation

/// Runs this program again under callgrind, which counts instructions exactly.
public enum CallgrindRun {
  /// The reason why there are no counts.
  public enum Failure: Error, CustomStringConvertible {
    /// A program ended with an exit status other than 0.
    case program(String, Int32)
    /// Callgrind wrote no counts under a name.
    case missing(String)

    /// A sentence with the name, and what to do.
    public var description: String {
      switch self {
      case .program(let name, let status): "\(name) ended with status \(status): apt-get install valgrind binutils"
      case .missing(let name): "callgrind wrote no counts named \"\(name)\""
      }
    }
  }

  /// Runs this program with an argument.
  ///
  /// - Returns: The instructions of each measurement, by the name under which the program asked callgrind for it.
  public static func totals(_ argument: String) throws -> [String: Int] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "callgrind-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let copy = folder.appending(path: "program").path
    // WORKAROUND: valgrind 3.19: it cannot read the debug information of the C objects.
    try run(
      "strip",
      ["--strip-debug", "-o", copy, try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")])
    try run(
      "valgrind",
      ["--quiet", "--tool=callgrind", "--callgrind-out-file=\(folder.path)/counts", copy, argument])
    return try totals(in: folder)
  }

  /// The total of each file that callgrind wrote.
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
