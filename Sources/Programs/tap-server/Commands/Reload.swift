import AccessServer
import ProgramSupport

/// Reloads certificate, configuration and token of the operator while the server runs.
struct Reload: Sendable {
  let options: ServingOptions
  let integrity: IntegrityOptions
  let host: String
  let service: ReloadableService
  let certificates: ServerCertificates
  let log: ServerLog

  /// Reads all files again and uses them, or reports all problems and keeps what the server has. Blocks.
  func run() {
    for reason in options.outsideOfRules { log.error(reason) }
    let check = options.check(host: host, isRunning: true)
    for problem in check.problems { log.error("\(problem.part.rawValue): \(problem.message)") }
    guard check.problems.isEmpty else { return keep() }
    do {
      let identity = try options.identity(host: host)
      let configuration = try options.configuration(of: identity)
      try certificates.replace(identity.tls)
      let waiting = service.reload(configuration, operatorToken: identity.operatorToken)
      log.info("reloaded the certificate, the configuration and the token of the operator")
      for key in waiting { log.warning("\(key): \(effect(ofChanged: key))") }
    } catch let failure as CommandFailure {
      log.error(failure.message)
      keep()
    } catch {
      log.error("\(error)")
      keep()
    }
  }

  /// When a change takes effect that the running server does not use.
  private func effect(ofChanged key: String) -> String {
    let option: String? =
      switch key {
      case "onTampering": integrity.onTampering == nil ? nil : "--on-tampering"
      case "refuse": integrity.refuse == nil ? nil : "--refuse"
      default: nil
      }
    return option.map { "the change has no effect, since \($0) comes first" }
      ?? "the change takes effect after a restart"
  }

  private func keep() { log.error("nothing was reloaded: the server goes on with what it had") }
}
