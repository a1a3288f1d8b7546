import AccessServer
import ProgramSupport

/// Reloads certificate, configuration and token of the operator while the server runs.
struct Reload: Sendable {
  let options: ServingOptions
  let host: String
  let service: ReloadableService
  let certificates: ServerCertificates

  /// Reads all files again and uses them, or reports all problems and keeps what the server has. Blocks.
  func run() {
    let check = options.check(host: host, isRunning: true)
    for problem in check.problems { Console.note("error: \(problem.part.rawValue): \(problem.message)") }
    guard check.problems.isEmpty else { return keep() }
    do {
      let identity = try options.identity(host: host)
      let configuration = try options.configuration(of: identity)
      try certificates.replace(identity.tls)
      let waiting = service.reload(configuration, operatorToken: identity.operatorToken)
      Console.note("Reloaded the certificate, the configuration and the token of the operator.")
      for key in waiting { Console.note("\(key): the change takes effect after a restart.") }
    } catch let failure as CommandFailure {
      Console.note("error: \(failure.message)")
      keep()
    } catch {
      Console.note("error: \(error)")
      keep()
    }
  }

  private func keep() { Console.note("Nothing was reloaded: the server goes on with what it had.") }
}
