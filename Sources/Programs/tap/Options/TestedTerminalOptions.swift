import ArgumentParser
import TapScenarios
import POSIX

/// The terminal that `tap test --link` judges: what it has, and what sees its results.
struct TestedTerminalOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      With --link: a shell command that is started before each tap, with TAP_AMOUNT and TAP_CURRENCY in its \
      environment, and prints {"shown": "approved"} at its end: approved, declined, see phone or other card. Without \
      it the person at the terminal is asked.
      """, valueName: "command"))
  var observe: String?
  @Option(
    help: ArgumentHelp(
      """
      What the terminal has and takes, in YAML or JSON: kernels, AIDs, limits, currencies. Scenarios that need more are \
      not applicable, and amounts beside a limit are taken from it. Fixtures/Capabilities/README.md describes the keys.
      """, valueName: "file"), completion: FileCompletion.named(endingIn: ".yaml", ".yml", ".json"))
  var capabilities: String?
  @Flag(help: "Only print what must be configured on the terminal for the scenarios; needs no link.")
  var setup = false

  /// The capabilities of the file; nil without one.
  ///
  /// - Throws: `FileError`, and `InputError` with all problems of the file.
  func read() throws -> TestedCapabilities? {
    guard let capabilities else { return nil }
    let octets = try NamedFile.text(capabilities)
    return try CardFiles.naming(capabilities) { try TestedCapabilities(parsing: octets) }
  }
}
