import ArgumentParser
import JSON
import MobileAuthentication
import Octets

/// Shows facts about the program, before any registration.
struct MetadataCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metadata", abstract: "Show the version, the facet identifier and the digest of this program.")

  @Option(
    help: ArgumentHelp("Not used: the facts do not depend on a wallet.", valueName: "dir"), completion: .directory)
  var state: String?
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  func run() async throws {
    let output = Output(format: format)
    let digest = MetaData.programDigest()?.hex ?? ""
    let (version, facet) = (MetaData.mobileAuthenticationVersion, MetaData.applicationFacetID("tap-wallet"))
    output.succeeded(
      "metadata",
      [("version", JSONValue(version)), ("facetID", JSONValue(facet)), ("programDigest", JSONValue(digest))],
      text: "version \(version)\nfacet \(facet)\nSHA-256 of the program \(digest)")
  }
}
