import ArgumentParser

/// How much a command prints of its exchanges. JSON stays the same.
struct Verbosity: ParsableArguments {
  @Flag(
    name: .shortAndLong,
    help: "Show the bytes of the exchanges and their meaning; of a tap that failed those that the failure names.")
  var verbose = false
  @Flag(
    name: .shortAndLong,
    help:
      "Print results only: of one payment the outcome; of several taps or recordings those that failed, and the sums.")
  var quiet = false

  func validate() throws {
    guard !(verbose && quiet) else { throw ValidationError("--verbose and --quiet exclude each other.") }
  }
}
