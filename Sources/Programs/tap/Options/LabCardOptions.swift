import ArgumentParser
import ProgramSupport

/// The armed card of a simulated reader.
struct LabCardOptions: ParsableArguments {
  @Option(
    name: .customLong("card"),
    help: ArgumentHelp("The card profile, whose keys the test issuer provisions.", valueName: "file"),
    completion: FileCompletion.card)
  var file: String?
  @Option(
    help: ArgumentHelp(
      "How long a verification of the card's simulated holder is valid, in seconds: 1 to 60; the holder then verifies again.",
      valueName: "seconds"))
  var validity = 60
  @Flag(
    help: """
      The card stays at the reader: it answers after a payment too, and a reset arms it for the next one. For tap test \
      with --card-stays.
      """)
  var stays = false

  func validate() throws {
    try require("--validity", validity, in: 1...60)
    try require(file != nil || validity == 60, "--validity needs --card.")
    try require(file != nil || !stays, "--stays needs --card.")
  }

  /// Whether there is a card.
  var hasCard: Bool { file != nil }

  /// The card, or nil.
  ///
  /// - Parameter traffic: Receives the commands that programs send to the card.
  func card(_ format: OutputFormat, _ traffic: LabTraffic? = nil) throws -> LabCard? {
    try file.map {
      LabCard(
        image: try CardFiles.card($0), format: format, validity: .seconds(validity), stays: stays, traffic: traffic)
    }
  }
}
