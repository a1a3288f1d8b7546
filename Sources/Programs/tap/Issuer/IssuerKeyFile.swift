import ArgumentParser
import DisplayText
import EMVIssuer
import Foundation
import Octets
import ProgramSupport
import POSIX

/// The keys of an issuer in a file. A key on the command line would be in the list of processes.
struct IssuerKeyOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The keys of an issuer of your own, in place of the test issuer's public keys: a file with the line \
      "cryptogram: KEY", and "cvc3: KEY" and "script: KEY" where they differ; KEY is 32 hexadecimal digits. Only its owner may read it.
      """, valueName: "file"), completion: .file())
  var issuerKey: String?

  /// The keys of the file; nil when none was named.
  ///
  /// - Throws: `FileError` without any part of the file's text.
  func keys() throws -> IssuerKeys? { try issuerKey.map(Self.keys) }

  private static func keys(at path: String) throws -> IssuerKeys {
    try checkMode(of: path)
    var octets = try InputFile.text(path)
    defer { octets.wipe() }
    return try CardFiles.naming(path) { try IssuerKeys(parsing: octets) }
  }

  /// Refuses a file that other users can read or write. A pipe is of this user alone.
  private static func checkMode(of path: String) throws {
    let attributes = try? FileManager.default.attributesOfItem(
      atPath: URL(filePath: path).resolvingSymlinksInPath().path)
    guard attributes?[.type] as? FileAttributeType == .typeRegular,
      let mode = attributes?[.posixPermissions] as? Int, mode & 0o077 != 0
    else { return }
    throw InputError(
      description:
        "\(path) has mode \(String(mode & 0o777, radix: 8)), so that other users can use the keys: chmod 600 \(path.shellWord)",
      code: .issuer, exit: .error)
  }
}
