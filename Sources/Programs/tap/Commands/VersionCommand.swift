import ArgumentParser
import EMVCard
import EMVTerminal
import ProgramSupport
import Transcripts

/// Prints the version, and what the program was built with.
struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Print the version, and what the program was built with.",
    discussion: "Exit codes: 0 printed.")

  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  /// What a report of an error should name.
  private struct Report: Encodable {
    let version: String
    let build: String
    let compiler: String
    let architecture: String
    let readers: [String]
    let links: [String]
    let kernels: [String]
    let schemes: [String]
    let recordings: [String]
  }

  func run() throws {
    let report = Report(
      version: BuildVersion.number, build: BuildVersion.build, compiler: BuildVersion.compiler,
      architecture: BuildVersion.architecture,
      readers: PlaceKind.all.map(\.prefix), links: LinkName.allValueStrings,
      kernels: TerminalConfiguration.kernels.map { "\($0.identifier)" }.sorted(),
      schemes: CardScheme.shipped.map(\.name),
      recordings: RecordingFormat.shipped.map(\.name))
    guard format == .text else { return try Console.print(json: report) }
    Console.print("tap \(report.version)")
    Console.print("\(report.build) build, \(report.compiler), \(report.architecture)")
    for (name, values) in [
      ("readers", report.readers), ("links", report.links), ("kernels", report.kernels), ("schemes", report.schemes),
      ("recordings", report.recordings),
    ] { Console.print("\(name): \(values.joined(separator: ", "))") }
  }
}
