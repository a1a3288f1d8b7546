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
    discussion: """
      A key is created, used and deleted; no prompt is shown. \
      Exit codes: 0 both policies work; 1 something is missing or broken.
      """)

  @Option(
    help: ArgumentHelp("The socket of tap-device; /run/tap-device/UID.sock when left out.", valueName: "path"),
    completion: .file())
  var socket: String?
  @OptionGroup var integrity: IntegrityOptions
  @Option(help: "How the lines are printed.")
  var format = OutputFormat.text

  /// A line as JSON.
  private struct Line: Encodable {
    let subject: String
    let verdict: String
    let detail: String
    let remedy: String?

    init(_ finding: DeviceFinding) {
      (subject, verdict, detail) = (finding.part.rawValue, finding.verdict.rawValue, finding.text)
      remedy = finding.remedy
    }
  }

  private struct PolicyLine: Encodable {
    let policy: String
    let works: Bool
  }

  func run() async throws {
    let client = DeviceLinkClient(socket: socket ?? DeviceLinkClient.defaultSocket(user: getuid()))
    let findings = await DeviceSurvey(client, integrity: integrity.checks).findings()
    for finding in findings { try show(finding) }
    let policies = CardholderVerificationPolicy.allCases.map { ($0, findings.allow($0)) }
    for (policy, works) in policies { try show(policy, works) }
    guard policies.allSatisfy(\.1) else { throw ExitCode.failure }
  }

  private func show(_ finding: DeviceFinding) throws {
    switch format {
    case .json: try Console.print(json: Line(finding))
    case .text:
      Console.print("\(finding.part.rawValue): \(finding.verdict.rawValue): \(finding.text)")
      if let remedy = finding.remedy { Console.print("  remedy: \(remedy)") }
    }
  }

  private func show(_ policy: CardholderVerificationPolicy, _ works: Bool) throws {
    switch format {
    case .json: try Console.print(json: PolicyLine(policy: policy.rawValue, works: works))
    case .text: Console.print("policy \(policy.rawValue): \(works ? "works" : "does not work")")
    }
  }
}
