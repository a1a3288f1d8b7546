import ArgumentParser
import JSON
import MobileAuthentication
import Octets
import ProgramSupport

/// Shows facts about the program, before any registration.
struct MetadataCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metadata", abstract: "Show the version, the facet identifier and the digest of this program.",
    help: CommandHelp(
      examples: [
        "tap-wallet metadata": "Show the facet identifier that a server has to trust."
      ],
      exits: StateOptions.exits))

  @Option(
    help: ArgumentHelp("The folder of a wallet, whose stored facet identifier is shown.", valueName: "dir"),
    completion: .directory)
  var state: String?
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  func run() async throws {
    let output = EventOutput.ofWallet(format)
    let digest = MetaData.programDigest()?.hex ?? ""
    let (program, version) = (ProjectVersion.number, MetaData.mobileAuthenticationVersion)
    let facet: String
    do throws(CommandFailure) {
      facet =
        try state.flatMap({ (folder) throws(CommandFailure) in try Settings(in: folder).facet })
        ?? MetaData.applicationFacetID("tap-wallet")
    } catch {
      output.notDone("metadata", error)
      throw error.exit.code
    }
    output.succeeded(
      "metadata",
      [
        ("program", JSONValue(program)), ("version", JSONValue(version)), ("facetID", JSONValue(facet)),
        ("programDigest", JSONValue(digest)),
      ],
      text: """
        tap-wallet \(program)
        mobile authentication \(version)
        facet \(facet)
        SHA-256 of the program \(digest)
        """)
  }
}
