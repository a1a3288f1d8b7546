import AccessServer
import DeviceLink
import Documents
import JSON
import Octets
import ProcessGuard
import ServerShell
import ServerStore

/// What a check of the files of a server found. Every problem is reported, not only the first one.
struct InstallationCheck {
  /// The part of a server that a finding is about.
  enum Part: String {
    case configuration, faults, certificate, protection
    case operatorToken = "operator"
    case database
  }

  /// A problem that prevents the server from starting, or that endangers it.
  struct Problem {
    let part: Part
    /// The file of a problem in a JSON document, with its place there.
    let place: (file: String, problem: DocumentProblem)?
    /// A sentence with the place, the value and what to do.
    let message: String

    /// The members of the problem as JSON.
    var members: [(String, JSONValue?)] {
      [
        ("part", JSONValue(part.rawValue)), ("file", place.map { JSONValue($0.file) }),
        ("line", place.map { JSONValue($0.problem.position.line) }),
        ("column", place.map { JSONValue($0.problem.position.column) }),
        ("path", place.map { JSONValue($0.problem.path) }), ("message", JSONValue(message)),
      ]
    }
  }

  /// What is in order, in words.
  private(set) var findings: [(part: Part, text: String)] = []
  private(set) var problems: [Problem] = []

  mutating func find(_ part: Part, _ text: String) { findings.append((part, text)) }

  mutating func add(_ part: Part, _ message: String) {
    problems.append(Problem(part: part, place: nil, message: message))
  }

  mutating func add(_ part: Part, _ file: String, _ error: ConfigurationError) {
    for problem in error.problems {
      problems.append(Problem(part: part, place: (file, problem), message: "\(file): \(problem)"))
    }
  }
}

extension ServingOptions {
  /// Checks the files that the options name, and changes none. Blocks.
  ///
  /// - Parameters:
  ///   - host: The host that the server listens on; nil when it is not known.
  ///   - isRunning: Whether the server has started: then the files of `--self-signed` must exist.
  func check(host: String?, isRunning: Bool = false) -> InstallationCheck {
    var check = InstallationCheck()
    checkDocuments(&check, isRunning)
    let now = SystemWallClock().now
    if let selfSigned {
      if let found = SelfSignedIdentity.check(directory: selfSigned, host: host, at: now) {
        found.problems.forEach { check.add(.certificate, $0.reason) }
        if let finding = found.finding { check.find(.certificate, finding) }
      } else if isRunning {
        check.add(.certificate, "\(selfSigned) has no files of a server")
      } else {
        check.find(.certificate, "the first start makes it in \(selfSigned)")
      }
    } else if let certificate, let key {
      let identity = IdentityCheck(certificateFile: certificate, keyFile: key, at: now)
      identity.problems.forEach { check.add(.certificate, $0.reason) }
      if let finding = identity.finding { check.find(.certificate, finding) }
    }
    checkToken(&check)
    // A running server has reported them at its start.
    if !isRunning { checkProtection(&check) }
    return check
  }

  /// What a server behind a proxy needs that does not know how clients reach it.
  static let missingOrigins = """
    the server is behind a proxy, and origins is not set: it accepts wallets at the origin of url, and at the names of the \
    certificate with the port of the server, and at no other one. Set origins, such as ["https://example.org"]
    """

  private func checkDocuments(_ check: inout InstallationCheck, _ isRunning: Bool) {
    do throws(ServingProblem) {
      let configuration = try readConfiguration()
      check.find(.configuration, settings ?? "the one of --self-signed")
      if configuration.lacksOrigins { check.find(.configuration, Self.missingOrigins) }
    } catch { check.add(.configuration, error) }
    // A running server does not read them again.
    guard let faults, !isRunning else { return }
    do throws(ServingProblem) {
      _ = try readFaults(faults)
      check.find(.faults, faults)
    } catch { check.add(.faults, error) }
  }

  private func checkProtection(_ check: inout InstallationCheck) {
    let gaps = ProcessProtection.gaps + FileRules.gaps + SystemCalls.gaps
    for gap in gaps { check.find(.protection, gap.description) }
    if gaps.isEmpty { check.find(.protection, "this kernel gives every protection") }
    for remark in ProcessIntegrity.remarks { check.find(.protection, remark) }
    guard let refused = try? readConfiguration().guards.refused else { return }
    let surroundings = Surroundings()
    for kind in surroundings.present where refused.contains(kind) {
      let clause = surroundings.clause(for: kind)
      // The server may run as another user than this check.
      if kind == .root {
        check.find(.protection, "the configuration refuses a server that \(clause), as this check does")
      } else {
        check.add(.protection, "this machine \(clause), which the configuration refuses: the server does not start")
      }
    }
  }

  private func checkToken(_ check: inout InstallationCheck) {
    guard let token else {
      if selfSigned == nil { check.find(.operatorToken, "none: the server has no operator") }
      return
    }
    do throws(CertificateError) {
      _ = try OperatorToken.read(token)
      check.find(.operatorToken, token)
    } catch { check.add(.operatorToken, error.reason) }
  }
}

extension InstallationCheck {
  fileprivate mutating func add(_ part: Part, _ error: ServingProblem) {
    switch error {
    case .document(let file, let error): add(part, file, error)
    case .file(let reason): add(part, reason)
    }
  }
}

extension InstallationCheck {
  /// Checks a database, and changes nothing in it. Blocks.
  mutating func check(_ database: DatabaseLocation) {
    guard let found = database.check() else { return find(.database, "in memory: it ends with the server") }
    found.problems.forEach { add(.database, $0.reason) }
    if let finding = found.finding { find(.database, finding) }
  }
}
