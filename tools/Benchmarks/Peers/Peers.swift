import Foundation

/// Libraries in Python that do the same work, where `tools/test` has installed them.
public enum Peers {
  /// Runs `tools/oracles/peer_times.py`.
  ///
  /// - Returns: Nanoseconds; empty when the library is not installed.
  public static func times(_ arguments: [String]) throws -> [Int64] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized.path
    let python = "\(root)/.build/oracles/bin/python"
    guard FileManager.default.isExecutableFile(atPath: python) else { return [] }
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: python)
    process.arguments = ["-W", "ignore", "\(root)/tools/oracles/peer_times.py"] + arguments
    process.standardOutput = output
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationStatus == 0 ? text.split(separator: "\n").compactMap { Int64($0) } : []
  }
}
