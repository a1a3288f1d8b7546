import DisplayText
import Foundation
import Glibc
import Octets
import POSIX
import TapReports

/// The page of `--report`, with time, place and command line of the run.
struct ReportFile: Sendable {
  private let file: OutputFile
  private let begun = SystemWallClock().now
  private let start = SystemClock().now
  /// A folder of the files that the run uses.
  private let folder: String

  /// Begins the run of a report. Nil without a path.
  ///
  /// - Parameters:
  ///   - isReplaced: Whether a file that exists is written over.
  ///   - used: A file or folder that the run uses, whose repository has the commit; nil for the current folder.
  init?(path: String?, isReplaced: Bool, of used: String? = nil) {
    guard let path else { return nil }
    file = OutputFile(path: path, isReplaced: isReplaced)
    let used = used ?? "."
    folder = InputFile.isDirectory(used) ? used : URL(filePath: used).deletingLastPathComponent().path
  }

  /// Fails when the page cannot be written.
  func check() throws { try file.check() }

  /// Writes the page of the run as it is now.
  func write(_ page: (ReportedRun) throws -> String) throws {
    let run = ReportedRun(
      begun: begun, duration: SystemClock().now - start, host: Self.host,
      commit: RepositoryCommit.text(of: folder), commandLine: ShownCommandLine.text)
    try file.writeAndReport(page(run).utf8)
  }

  /// The name of the machine as the kernel has it. `ProcessInfo.hostName` asks a name server.
  private static var host: String {
    var names = utsname()
    guard unsafe uname(&names) == 0 else { return "unknown" }
    return unsafe withUnsafeBytes(of: &names.nodename) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
