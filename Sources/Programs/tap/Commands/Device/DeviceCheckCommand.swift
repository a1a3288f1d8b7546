import ArgumentParser
import DeviceAuthentication
import DeviceLink
import Glibc
import ProgramSupport

/// Checks what this machine can do for a verification of the cardholder.
struct DeviceCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check what this machine can do for a verification of the cardholder, line by line with the remedy.",
    help: CommandHelp(
      "A key is created, used and deleted; no prompt is shown.",
      examples: [
        "tap device check": "Check this machine."
      ],
      exits: [
        .done: "both policies work",
        .notRight: "something is missing or broken",
      ],
      related: ["tap-device"]))

  @Option(
    help: ArgumentHelp("The socket of tap-device; /run/tap-device/UID.sock when left out.", valueName: "path"),
    completion: .file())
  var socket: String?
  @OptionGroup var integrity: IntegrityOptions
  @Option(help: "How the lines are printed.")
  var format = OutputFormat.text

  func run() async throws {
    let client = DeviceLinkClient(socket: socket ?? DeviceLinkClient.defaultSocket(user: getuid()))
    let findings = await DeviceSurvey(client, integrity: integrity.checks).findings()
    for finding in findings { try format.print(finding.lines, json: finding.json) }
    let policies = CardholderVerificationPolicy.allCases.map { ($0, findings.allow($0)) }
    for (policy, works) in policies {
      try format.print(
        "policy \(policy.rawValue): \(works ? "works" : "does not work")",
        json: ["policy": policy.rawValue, "works": works])
    }
    guard policies.allSatisfy(\.1) else { throw Exit.notRight.code }
  }
}

extension DeviceFinding {
  fileprivate var json: JSONObject {
    ["subject": part.rawValue, "verdict": verdict.rawValue, "detail": text, "remedy": remedy]
  }

  fileprivate var lines: [String] {
    ["\(part.rawValue): \(verdict.rawValue): \(text)"] + (remedy.map { ["  remedy: \($0)"] } ?? [])
  }
}
