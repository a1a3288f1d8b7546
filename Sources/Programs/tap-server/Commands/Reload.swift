import AccessServer
import ProgramSupport
import ServerShell
import ServerStore

/// Reloads certificate, key, configuration, token of the operator and password of the database while the server runs.
struct Reload: Sendable {
  let options: ServingOptions
  let integrity: IntegrityOptions
  let host: String
  let database: DatabaseLocation
  /// The password file that the server had at its start.
  let password: DatabasePassword?
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
      let passwordFile = try password?.read()
      let configuration = try options.configuration(of: identity)
      try certificates.replace(identity.tls)
      let files = identity.files + [passwordFile].compactMap(\.self)
      let outcome = service.reload(configuration, operatorToken: identity.operatorToken, files: files)
      log.info("reloaded: \(outcome.files.joined(separator: ", "))")
      warnOfRefusedPassword()
      for key in outcome.waiting { log.warning("\(key): \(effect(ofChanged: key))") }
    } catch let failure as CommandFailure {
      log.error(failure.message)
      keep()
    } catch {
      log.error("\(error)")
      keep()
    }
  }

  /// Opens a connection with the password that the file has now, since open connections stay when it is wrong.
  private func warnOfRefusedPassword() {
    guard password != nil, let check = database.check() else { return }
    for problem in check.problems { log.warning("database: \(problem.reason)") }
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
