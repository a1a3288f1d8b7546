import AccessServer
import ArgumentParser
import Documents
import FIDOUAF
import Foundation
import NIOSSL
import Octets
import ProgramSupport
import ServerShell

/// The identity and the behaviour of a server.
struct ServingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The certificate of the server and those of its authorities, in PEM.", valueName: "file"),
    completion: .file())
  var certificate: String?
  @Option(help: ArgumentHelp("The private key of the certificate, in PEM.", valueName: "file"), completion: .file())
  var key: String?
  @Option(
    help: ArgumentHelp(
      "Makes a certificate, its authority and a token of the operator in DIR, once.", valueName: "dir"),
    completion: .directory)
  var selfSigned: String?
  @Option(
    name: .customLong("operator"),
    help: ArgumentHelp("The token of the operator; with --self-signed the one in DIR.", valueName: "file"),
    completion: .file())
  var token: String?
  @Option(
    name: .customLong("configuration"), help: ArgumentHelp("How the server behaves.", valueName: "json"),
    completion: .file())
  var settings: String?
  @Option(
    help: ArgumentHelp("Faults that the server commits, for developers of clients.", valueName: "json"),
    completion: .file())
  var faults: String?

  func validate() throws {
    guard (certificate == nil) == (key == nil), (certificate == nil) != (selfSigned == nil) else {
      throw ValidationError("Either --certificate with --key, or --self-signed is needed.")
    }
  }

  /// What a server needs to identify itself.
  struct Identity {
    let tls: TLSConfiguration
    let operatorToken: String?
    /// The file that clients need to trust the server; nil with a certificate of another authority.
    let authorityFile: String?
    /// The binding to connections of the server.
    let channelBinding: ChannelBinding?
    /// The hosts of the certificate.
    let hosts: [String]
    /// What was read: certificate, key and token.
    let files: [ServedFile]
  }

  /// Reads or makes the identity. Blocks.
  func identity(host: String) throws(CertificateError) -> Identity {
    let now = SystemWallClock().now
    let named = try token.map { path throws(CertificateError) in try OperatorToken.read(path) }
    if let selfSigned {
      let identity = try SelfSignedIdentity(directory: selfSigned, host: host, at: now)
      let token = named ?? identity.operatorToken
      return Identity(
        tls: identity.server.tlsConfiguration, operatorToken: token, authorityFile: identity.authorityFile,
        channelBinding: identity.server.channelBinding, hosts: identity.server.hosts,
        files: identity.server.files + [.operatorToken(token)])
    }
    guard let certificate, let key else { preconditionFailure("validate() requires a certificate and a key") }
    let server = try ServerIdentity(certificateFile: certificate, keyFile: key, at: now)
    return Identity(
      tls: server.tlsConfiguration, operatorToken: named, authorityFile: nil,
      channelBinding: server.channelBinding, hosts: server.hosts,
      files: server.files + [named.map(ServedFile.operatorToken)].compactMap(\.self))
  }

  /// Reads the configuration of a server with an identity.
  func configuration(of identity: Identity) throws(CommandFailure) -> ServerConfiguration {
    var configuration: ServerConfiguration
    do throws(ServingProblem) { configuration = try readConfiguration() } catch { throw error.failure }
    if configuration.checksChannelBinding { configuration.channelBinding = identity.channelBinding }
    configuration.certificateHosts = identity.hosts
    return configuration
  }

  /// Reads the configuration; the channel binding is not set.
  func readConfiguration() throws(ServingProblem) -> ServerConfiguration {
    guard let settings else {
      // Without facets no client is trusted.
      guard selfSigned != nil else {
        throw .file("a server with its own certificate needs --configuration with facets")
      }
      return .selfSigned
    }
    let octets = try Self.read(settings)
    do throws(ConfigurationError) {
      return try ServerConfiguration(json: octets, isSelfSigned: selfSigned != nil)
    } catch { throw .document(settings, error) }
  }

  /// Reads the plan of faults, and warns about it; nil without one.
  func faultPlan(_ log: ServerLog) throws(CommandFailure) -> FaultPlan? {
    guard let faults else { return nil }
    do throws(ServingProblem) {
      let plan = try readFaults(faults)
      log.warning("this server commits the faults of \(faults) on purpose: never use it in production")
      return plan
    } catch { throw error.failure }
  }

  /// Reads a plan of faults.
  func readFaults(_ path: String) throws(ServingProblem) -> FaultPlan {
    let octets = try Self.read(path)
    do throws(ConfigurationError) {
      return try FaultPlan(json: octets)
    } catch { throw .document(path, error) }
  }

  private static func read(_ path: String) throws(ServingProblem) -> [UInt8] {
    do {
      return [UInt8](try Data(contentsOf: URL(filePath: path)))
    } catch {
      throw .file("\(path) cannot be read")
    }
  }
}

/// Why a document of a server cannot be used.
enum ServingProblem: Error {
  /// A JSON document has problems.
  case document(String, ConfigurationError)
  /// A file cannot be read, or is missing.
  case file(String)

  /// The problems as one failure of a command.
  var failure: CommandFailure {
    switch self {
    case .document(let path, let error):
      CommandFailure("configuration", error.problems.map { "\(path): \($0)" }.joined(separator: "\n"), .notRight)
    case .file(let reason): CommandFailure("inaccessible", reason, .error)
    }
  }
}
