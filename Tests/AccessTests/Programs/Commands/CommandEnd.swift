import JSON
import TestSupport

/// How a command ended, and what it printed.
struct CommandEnd {
  let ending: ProgramRun.Ending
  let output: String
  let errors: String

  private var last: JSONValue? {
    output.split(separator: "\n").last.flatMap { try? JSONValue(parsing: Array($0.utf8)) }
  }

  /// The code of the error in the last line; nil for a command that is done.
  var errorCode: String? { last?["error"]?["code"]?.text }

  /// What an error names as the next step, in one of these words.
  private static let remedies = [
    "log in", "log out", "register", "authenticate", "enrol", "pass --", "--name", "name the server",
    "start the server",
    "ask the", "ask for a new one", "unlink it", "set the clock", "correct the time", "try again",
    "add one to the file", "deregister",
    "is at https://", "list the devices", "until the issuer", "set the wallet up", "No such file",
  ]

  /// What is wrong with the end.
  ///
  /// - Parameter printsJSON: Whether the command has events, the last of which names the success or the error.
  func problems(printsJSON: Bool) -> [String] {
    guard case .exited(let code) = ending else { return ["ended by a signal"] }
    // A folder with several servers needs an option that another one does not need.
    let isUsage = code == 64 && errorCode == "InvalidArgument"
    guard (0...3).contains(code) || isUsage else { return ["the exit code \(code)"] }
    guard printsJSON else { return code == 0 || errors.contains("error: ") ? [] : ["no error"] }
    let event = last?["event"]?.text
    guard code != 0 else { return event == "succeeded" ? [] : ["no success in the last line"] }
    guard event == "failed", let errorCode, let message = last?["error"]?["message"]?.text else {
      return ["no error in the last line"]
    }
    var problems: [String] = []
    if ["Unknown", "UNKNOWN", "unknown"].contains(errorCode) { problems.append("an error without a code of its own") }
    if !Self.remedies.contains(where: message.contains) { problems.append("no remedy") }
    return problems
  }
}
