/// What was looked at, what was found there, and what to do about it.
struct Finding: Equatable, Encodable, Sendable {
  enum Verdict: String, Encodable, Sendable {
    case ok
    case problem
    /// It cannot be told from here, such as in a container that hides what it was looked for in.
    case unknown
  }

  let subject: String
  let verdict: Verdict
  /// A sentence without its full stop.
  let detail: String
  /// A command for a shell; problems have one.
  let remedy: String?

  static func ok(_ subject: String, _ detail: String) -> Finding {
    Finding(subject: subject, verdict: .ok, detail: detail, remedy: nil)
  }

  static func problem(_ subject: String, _ detail: String, remedy: String) -> Finding {
    Finding(subject: subject, verdict: .problem, detail: detail, remedy: remedy)
  }

  static func unknown(_ subject: String, _ detail: String) -> Finding {
    Finding(subject: subject, verdict: .unknown, detail: detail, remedy: nil)
  }

  /// One line for people, and one for the remedy.
  var lines: [String] {
    let name =
      switch verdict {
      case .ok: "ok         "
      case .problem: "problem    "
      case .unknown: "cannot tell"
      }
    return ["\(name)  \(subject): \(detail)"] + (remedy.map { ["             remedy: \($0)"] } ?? [])
  }
}
