internal import DisplayText
public import Octets

/// When and where a report was made, and by which command line.
public struct ReportedRun: Sendable {
  /// When the run began.
  public let begun: WallTime
  /// How long it took.
  public let duration: Duration
  /// The name of the machine.
  public let host: String
  /// The commit of the files that the run used; nil outside a repository.
  public let commit: String?
  /// The program and its arguments as they are typed in a shell.
  public let commandLine: String

  /// Creates the description of a run.
  public init(begun: WallTime, duration: Duration, host: String, commit: String?, commandLine: String) {
    (self.begun, self.duration, self.host, self.commit) = (begun, duration, host, commit)
    self.commandLine = commandLine
  }

  /// The line and the command line under the title of a page.
  var html: HTML {
    let facts = [begun.iso8601, duration.text, "host \(host)"] + (commit.map { ["commit \($0)"] } ?? [])
    return """
      <p class="facts dim">\(facts.joined(separator: " · "))</p>
      <pre class="command">\(commandLine)</pre>

      """
  }
}
