import ArgumentParser
import EMVCard
import EMVTerminal
import ProgramSupport
import RecordingFormats
import Transcripts

/// Prints the version, and what the program was built with.
struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Print the version, and what the program was built with.",
    help: CommandHelp(
      examples: [
        "tap version --format json": "Print version and build for a program."
      ],
      exits: [
        .done: "printed"
      ]))

  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  func run() throws {
    let parts: [(key: String, names: [String])] = [
      ("readers", PlaceKind.all.map(\.prefix)), ("links", LinkName.allValueStrings),
      ("kernels", TerminalConfiguration.kernels.map { "\($0.identifier)" }.sorted()),
      ("schemes", CardScheme.shipped.map(\.name)), ("recordings", RecordingFormat.shipped.map(\.name)),
    ]
    let (version, build, compiler) = (BuildVersion.number, BuildVersion.build, BuildVersion.compiler)
    try format.print(
      ["tap \(version)", "\(build) build, \(compiler), \(BuildVersion.architecture)"]
        + parts.map { "\($0.key): \($0.names.joined(separator: ", "))" },
      json: JSONObject(
        [
          ("version", version), ("build", build), ("compiler", compiler), ("architecture", BuildVersion.architecture),
        ] + parts.map { ($0.key, $0.names) }))
  }
}
