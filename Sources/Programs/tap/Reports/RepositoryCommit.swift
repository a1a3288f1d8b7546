import Foundation

/// The commit of the repository that a folder is in.
enum RepositoryCommit {
  /// How long git may take.
  private static let limit = DispatchTimeInterval.seconds(2)

  /// The commit in 12 hexadecimal digits; nil outside a repository, and without git.
  ///
  /// Files that differ from it are not looked for: to compare them, git runs the filters and monitors that a repository configures,
  /// and the repository may have another author.
  static func text(of folder: String) -> String? {
    guard let commit = git(["rev-parse", "--short=12", "HEAD"], in: folder), !commit.isEmpty,
      commit.allSatisfy(\.isHexDigit)
    else { return nil }
    return commit
  }

  /// What git prints, without the end of its last line; nil when it fails or takes too long.
  private static func git(_ arguments: [String], in folder: String) -> String? {
    let (process, output, end) = (Process(), Pipe(), DispatchSemaphore(value: 0))
    process.executableURL = URL(filePath: "/usr/bin/env")
    // The repository is that of the folder, not one that the environment names.
    process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("GIT_") }
    process.arguments = ["git", "-C", folder] + arguments
    (process.standardInput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    process.standardOutput = output
    process.terminationHandler = { _ in end.signal() }
    guard (try? process.run()) != nil else { return nil }
    guard end.wait(timeout: .now() + limit) == .success else {
      process.terminate()
      return nil
    }
    guard process.terminationStatus == 0 else { return nil }
    let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    return String(text.prefix { !$0.isNewline })
  }
}
