internal import DisplayText
internal import Links
internal import Octets
internal import PCSCReader

extension ServiceState {
  private static let subject = "reader service"
  private static let restart = "sudo systemctl restart pcscd.socket pcscd.service"

  /// Whether pcscd runs, whether this user may connect to it, and its response.
  var findings: [Finding] {
    switch answer {
    case .success(let readers): [answers(readers)] + readers.map(\.finding) + Self.twins(readers.map(\.name))
    case .failure(let error) where error.reason.hasPrefix("built without"):
      [.problem(Self.subject, error.reason, remedy: "swift build --traits PCSC,LibNFC")]
    case .failure(let error): [installed, silence(error.reason)]
    case nil: [installed, silent]
    }
  }

  private func answers(_ readers: [PCSCReaderStatus]) -> Finding {
    let count = readers.isEmpty ? "no reader" : readers.count.counted("reader")
    return .ok(Self.subject, "pcscd answers at \(socketPath) and has \(count)")
  }

  /// Readers that share a name, of which only the first can be used.
  private static func twins(_ names: [String]) -> [Finding] {
    let repeated = Set(names.filter { name in names.count { $0 == name } > 1 })
    return repeated.sorted().map { name in
      .problem(
        "pcsc:\(name)", "several readers have this name, and only the first of them can be used",
        remedy: "grep -n FRIENDLYNAME /etc/reader.conf.d/*   # give each a name of its own, then: \(restart)")
    }
  }

  private var installed: Finding {
    isInstalled
      ? .ok("pcscd", "/usr/sbin/pcscd is installed")
      : .problem("pcscd", "/usr/sbin/pcscd is missing", remedy: "sudo apt-get install -y pcscd")
  }

  private var silent: Finding {
    .problem(
      Self.subject, "pcscd has not answered within \(SetupSurvey.servicePatience): a driver or a card blocks it",
      remedy: Self.restart)
  }

  /// The reason for a missing answer, as far as the socket shows it.
  private func silence(_ reason: String) -> Finding {
    switch socket {
    case .absent:
      let cause = processes.isEmpty ? "pcscd does not run: " : ""
      return .problem(Self.subject, "\(cause)there is no socket at \(socketPath)\(elsewhere)", remedy: start)
    case .hidden:
      return .problem(
        Self.subject, "this user may not search the directory of \(socketPath)",
        remedy: "sudo chmod o+x \(directory.shellWord)")
    case .present(let file) where !file.isSocket:
      return .problem(
        Self.subject, "\(socketPath) is no socket", remedy: "sudo rm \(socketPath.shellWord) && \(Self.restart)")
    case .present(let file) where !file.isWritable:
      return .problem(
        Self.subject, "this user may not connect to \(socketPath) (\(file.permissions))",
        remedy: "sudo chmod o+rw \(socketPath.shellWord)")
    case .present:
      let cause = processes.isEmpty ? "pcscd has ended and left its socket behind" : "pcscd runs\(elsewhere)"
      return .problem(
        Self.subject,
        "no process answers at \(socketPath): \(cause), or its rules refuse this user; the client says: \(reason)",
        remedy: Self.restart)
    }
  }

  /// Where pcscd may run when it does not answer at this socket.
  private var elsewhere: String {
    let environment = socketPath == Self.standardSocketPath ? "" : ", which PCSCLITE_CSOCK_NAME names"
    guard let process = processes.first else { return environment }
    return "\(environment), though a pcscd runs (process \(process))"
  }

  private var start: String {
    guard socketPath == Self.standardSocketPath else {
      return "unset PCSCLITE_CSOCK_NAME   # or start what makes it: tap lab pcsc --socket \(socketPath.shellWord)"
    }
    return (isInstalled ? "" : "sudo apt-get install -y pcscd && ") + "sudo systemctl enable --now pcscd.socket"
  }

  private var directory: String {
    String(socketPath.prefix(upTo: socketPath.lastIndex(of: "/") ?? socketPath.startIndex))
  }
}

extension PCSCReaderStatus {
  /// Whether a session could have this reader's card now.
  fileprivate var finding: Finding {
    let subject = "pcsc:\(name)"
    if isUnresponsive {
      return .problem(
        subject, "it does not answer its driver any more",
        remedy: "tap readers --watch   # unplug the reader and plug it in again")
    }
    if isExclusive {
      return .problem(
        subject, "another program has the card to itself, so that every other one waits or finds it busy",
        remedy: "ss -xp | grep pcscd.comm   # lists the connected programs; end them, or plug the reader in again")
    }
    guard let card else { return .ok(subject, "no card") }
    if card.isEmpty {
      return .problem(
        subject, "there is a card, but it does not answer to reset",
        remedy: "tap readers --watch   # take the card out and lay it on the reader again")
    }
    return .ok(subject, isInUse ? "a card, which another program shares" : "a card")
  }
}
