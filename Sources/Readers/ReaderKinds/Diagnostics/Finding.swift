/// One thing that a survey looked at: the verdict on it and, for a problem, the remedy.
public struct Finding: Equatable, Encodable, Sendable {
  /// The verdict on a subject.
  public enum Verdict: String, Encodable, Sendable {
    /// It is as it should be.
    case ok
    /// Readers cannot be used as long as it is as it is.
    case problem
    /// The machine does not show it, as in a container.
    case unknown
  }

  /// What was looked at, such as `reader service`.
  public let subject: String
  /// The verdict.
  public let verdict: Verdict
  /// A sentence without its full stop.
  public let detail: String
  /// A command for a shell; nil for anything but a problem.
  public let remedy: String?

  static func ok(_ subject: String, _ detail: String) -> Finding {
    Finding(subject: subject, verdict: .ok, detail: detail, remedy: nil)
  }

  static func problem(_ subject: String, _ detail: String, remedy: String) -> Finding {
    Finding(subject: subject, verdict: .problem, detail: detail, remedy: remedy)
  }

  static func unknown(_ subject: String, _ detail: String) -> Finding {
    Finding(subject: subject, verdict: .unknown, detail: detail, remedy: nil)
  }

  /// A line of text, and one for the remedy.
  public var lines: [String] {
    let name =
      switch verdict {
      case .ok: "ok         "
      case .problem: "problem    "
      case .unknown: "cannot tell"
      }
    return ["\(name)  \(subject): \(detail)"] + (remedy.map { ["             remedy: \($0)"] } ?? [])
  }
}
