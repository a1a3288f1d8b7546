public import DeviceAuthentication
internal import Dispatch
internal import Octets
internal import ProcessGuard
internal import Synchronization

/// The checks of this process, shared by everything in it that uses keys.
///
/// A use of a key gets a result that is at most 1 s old. An asynchronous use waits for a scan only when there is no such
/// result: one that is older than 0.5 s starts the next scan beside it. After `watch`, the process is also scanned at random moments, but
/// never while a card answers a terminal. Uses of keys and random moments are scanned by different functions: each finds
/// a change of the code of the other. A finding stays until the process ends, since the attacker may have read its
/// memory; only a check that could not run is tried again.
public final class IntegrityGuard: DeviceIntegrity {
  private struct State {
    var schedule = ScanSchedule()
    var recent: [IntegrityFinding] = []
    var kept: [IntegrityFinding] = []
    var isRefreshing = false
    /// What `watch` has reported: findings that are still there, and remarks.
    var reported: (findings: [IntegrityFinding], remarks: [String]) = ([], [])

    /// The findings of a result that is valid; nil when a scan is needed.
    func validFindings(at now: Instant) -> [IntegrityFinding]? { schedule.needsScan(at: now) ? nil : findings }

    mutating func record(_ found: [IntegrityFinding], at start: Instant) {
      schedule.scanned(at: start)
      recent = found
      for finding in found where !finding.isTransient && !kept.contains(finding) { kept.append(finding) }
    }

    var findings: [IntegrityFinding] { kept + recent.filter { !kept.contains($0) } }

    /// Returns what was not reported before, and records it as reported.
    mutating func unreported(_ remarks: [String]) -> (findings: [IntegrityFinding], remarks: [String]) {
      let new = (
        findings.filter { !reported.findings.contains($0) }, remarks.filter { !reported.remarks.contains($0) }
      )
      reported = (findings, remarks)
      return new
    }
  }

  private let checks: any DeviceIntegrity
  /// The same checks of a process that cannot be checked: they must find something.
  private let control: any DeviceIntegrity
  private let reaction: TamperingReaction
  private let clock: any MonotonicClock
  private let random: any RandomSource
  private let state = Mutex(State())
  // Held during a scan for a use, so that callers at one time share it.
  private let scanning = Mutex(())
  private let isTapRunning = Atomic(false)
  private let next = Mutex<ScheduledCall?>(nil)
  private let queue = DispatchQueue(label: "integrity")

  /// Shares checks.
  public convenience init(_ checks: ProcessIntegrity) {
    self.init(checks, control: ProcessIntegrity(process: "/nowhere"), reaction: checks.reaction)
  }

  init(
    _ checks: any DeviceIntegrity, control: any DeviceIntegrity, reaction: TamperingReaction = .error,
    clock: any MonotonicClock = SystemClock(), random: any RandomSource = SystemRandomSource()
  ) {
    (self.checks, self.control, self.reaction) = (checks, control, reaction)
    (self.clock, self.random) = (clock, random)
  }

  deinit { next.withLock { $0?.cancel() } }

  /// Returns the findings of a scan that is at most 1 s old, and those of earlier scans. Blocks while the process is
  /// scanned, for up to 100 ms.
  public func findings() -> [IntegrityFinding] {
    let now = clock.now
    if let valid = state.withLock({ $0.validFindings(at: now) }) { return valid }
    return scanning.withLock { _ in
      // Another caller may have scanned while this one waited.
      if let valid = state.withLock({ $0.validFindings(at: now) }) { return valid }
      let found = scan()
      return state.withLock { state in
        state.record(found, at: now)
        return state.findings
      }
    }
  }

  /// Returns the same as `findings()`, and blocks no thread of the cooperative pool.
  public func currentFindings() async -> [IntegrityFinding] {
    let now = clock.now
    let (valid, mustRefresh) = state.withLock { state in
      let valid = state.validFindings(at: now)
      let mustRefresh = valid != nil && state.schedule.isAged(at: now) && !state.isRefreshing
      if mustRefresh { state.isRefreshing = true }
      return (valid, mustRefresh)
    }
    if mustRefresh { queue.async { self.refresh() } }
    if let valid { return valid }
    return await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.findings()) }
    }
  }

  private func refresh() {
    scanning.withLock { _ in
      let start = clock.now
      let found = scan()
      state.withLock { state in
        state.record(found, at: start)
        state.isRefreshing = false
      }
    }
  }

  /// Scans at random moments from now on, 0.3 to 0.9 s apart, as long as this object lives.
  ///
  /// - Parameters:
  ///   - onFindings: Receives the findings that were not reported before, also those of uses of keys, on a thread of its
  ///     own.
  ///   - onRemarks: Receives clauses about files that were replaced, which are no sign of tampering; each once.
  public func watch(
    onFindings: @escaping @Sendable ([IntegrityFinding]) -> Void,
    onRemarks: @escaping @Sendable ([String]) -> Void = { _ in }
  ) {
    let octets = random.octets(4)
    let number = octets.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let call = clock.call(at: clock.now + ScanSchedule.interval(number)) { [weak self] in
      // A thread that cannot be created now is created the next time.
      let isStarted = startDetachedThread { [weak self] in self?.lookAndGoOn(onFindings, onRemarks) }
      if !isStarted { self?.watch(onFindings: onFindings, onRemarks: onRemarks) }
    }
    next.withLock { $0 = call }
  }

  /// Allows the scans at random moments, or forbids them while a card answers a terminal.
  public func tapChanged(isRunning: Bool) { isTapRunning.store(isRunning, ordering: .relaxed) }

  private func lookAndGoOn(
    _ onFindings: @escaping @Sendable ([IntegrityFinding]) -> Void,
    _ onRemarks: @escaping @Sendable ([String]) -> Void
  ) {
    _ = look()
    let remarks = ProcessIntegrity.replacedFiles.map(ProcessIntegrity.remark(replaced:))
    let new = state.withLock { $0.unreported(remarks) }
    if !new.remarks.isEmpty { onRemarks(new.remarks) }
    if !new.findings.isEmpty { onFindings(new.findings) }
    watch(onFindings: onFindings, onRemarks: onRemarks)
  }

  /// One scan at a random moment; nothing during a tap.
  package func look() -> [IntegrityFinding] {
    guard !isTapRunning.load(ordering: .relaxed) else { return [] }
    let start = clock.now
    // First the code of all checks, by a call that a change of the functions above does not reach.
    let found = Self.changesOfCode() + checks.findings()
    reaction.react(to: found)
    state.withLock { $0.record(found, at: start) }
    return found
  }

  /// One scan for a use of a key.
  private func scan() -> [IntegrityFinding] {
    let found = checks.findings()
    guard control.findings().isEmpty, Self.isChecking else { return found }
    reaction.perform()
    return found + [.disabledCheck("all signs of tampering")]
  }

  private static func changesOfCode() -> [IntegrityFinding] {
    isChecking ? IntegrityCheck.changes(isControl: false) : []
  }

  /// Whether this build has the checks.
  private static var isChecking: Bool {
    #if DebugFlavour
      false
    #else
      true
    #endif
  }
}

extension IntegrityFinding {
  /// Whether the next scan may come to another result without a change of the process.
  var isTransient: Bool {
    if case .unchecked = self { true } else { false }
  }
}

extension TamperingReaction {
  /// Ends the program, unless the reaction is an error. A check that could not run only refuses the operation: a process
  /// without free descriptors is not attacked.
  func react(to findings: [IntegrityFinding]) {
    if !findings.allSatisfy(\.isTransient) { perform() }
  }
}
