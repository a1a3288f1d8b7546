import AccessMessages
import AccessServer
import DeviceAuthentication
import DeviceLink
import ProgramSupport
import ServerShell
import ServerStore

/// The checks of a server: at its start, at random moments, and before it uses its keys for a request.
struct ServerGuard: Sendable {
  private let integrity: IntegrityGuard
  private let log: ServerLog

  /// Creates the checks. An option comes before the key of the configuration.
  init(_ options: IntegrityOptions, _ configuration: ServerConfiguration, _ log: ServerLog) {
    self.log = log
    let guards = configuration.guards
    integrity = IntegrityGuard(
      ProcessIntegrity(
        refusesOwnerFolder: options.refuseOwnerFolder, refused: Set(options.refuse?.members ?? guards.refused),
        reaction: options.onTampering ?? guards.onTampering))
  }

  /// Scans the process, and goes on at random moments. Blocks.
  ///
  /// - Throws: When there is a sign of tampering.
  func begin() throws(CommandFailure) {
    let found = integrity.findings()
    guard found.isEmpty else { throw CommandFailure("tampering", Self.text(found), .notRight) }
    integrity.watch { [log] in
      log.error("tampering: \(Self.text($0))")
    } onRemarks: { [log] in
      log.warning($0.joined(separator: "; "))
    }
  }

  /// Logs what weakens the protection of this process without being a sign of tampering.
  func remark() {
    let remarks = ProcessIntegrity.remarks
    if !remarks.isEmpty { log.info(remarks.joined(separator: "; ")) }
  }

  /// Refuses requests while there is a sign of tampering. The log has the reason after the next scan at a random moment.
  func guarding(_ base: any AccessResponding) -> any AccessResponding {
    GuardedResponder(base: base, integrity: integrity)
  }

  /// Whether requests are refused now.
  @Sendable func isRefusing() async -> Bool { await !integrity.currentFindings().isEmpty }

  private static func text(_ findings: [IntegrityFinding]) -> String {
    findings.map(\.description).joined(separator: "; ")
  }
}

/// Answers no request while there is a sign of tampering: the keys of the server are not used.
private struct GuardedResponder: AccessResponding {
  let base: any AccessResponding
  let integrity: IntegrityGuard

  func respond(to request: AccessRequest) async -> AccessResponse {
    let found = await integrity.currentFindings()
    guard !found.isEmpty else { return await base.respond(to: request) }
    // The reason is in the log only: it would help an attacker.
    return AccessResponse(AccessFailure(.unavailable, "the server does not answer; its log has the reason"))
  }

  func routeName(of request: AccessRequest) -> String? { base.routeName(of: request) }
}
