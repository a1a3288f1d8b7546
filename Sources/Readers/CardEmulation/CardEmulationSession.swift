public import Links
public import Octets
internal import Synchronization

/// Card emulation for programs that response APDUs in their own code, as phones offer it: commands arrive as events, and
/// any task or thread may give the response.
///
/// ```
/// sessionStarted (readerDetected received* readerDeselected)* sessionInvalidated
/// ```
/// The link runs on its own thread, which blocks until each response is given; the caller's thread and the cooperative
/// pool are never blocked. Read the events without pause: an APDU that is not answered within the limit is answered
/// with `6F00`.
public final class CardEmulationSession: Sendable {
  /// The events of a session, in the order in which they occur.
  public enum Event: Sendable {
    /// The session exists; nothing is on a link.
    case sessionStarted
    /// A reader's field powers the card, or the reader has selected the card again.
    case readerDetected
    /// A command of the reader, to be answered exactly once.
    case received(ReceivedAPDU)
    /// The reader left, or selected another application.
    case readerDeselected(DeactivationReason)
    /// The session has ended. This is the last event, it occurs once, and its code is never `transmissionError`.
    case sessionInvalidated(EmulationError)
  }

  /// The party that ends a session.
  public enum Initiator: Sendable, CaseIterable {
    /// The app: `invalidated`.
    case app
    /// The user of the app: `userInvalidated`.
    case user
  }

  /// The events, for one task. Cancelling the task that reads them ends the session.
  public var events: AsyncStream<Event> { core.events }

  private let core: EmulationCore
  private let declared: DeclaredAIDs?
  private let limits: EmulationLimits
  private let system: any EmulationSystem
  private let clock: any MonotonicClock
  private let runs = Mutex<[Run]>([])

  /// The thread of one emulation, and the timer that limits it.
  private struct Run {
    let thread: DedicatedThread<Void, Never>
    let timer: Task<Void, Never>
  }

  /// Creates a session that presents no card yet.
  ///
  /// - Parameters:
  ///   - declared: The application names that the card answers to, see `AIDRouter`; nil passes every command.
  ///   - limits: The time limits of the session.
  ///   - system: The port to the device, which may forbid emulation.
  ///   - clock: Measures the emulation limit and the cool-down.
  public init(
    declared: DeclaredAIDs? = nil, limits: EmulationLimits = .standard,
    system: any EmulationSystem = UnrestrictedEmulation(), clock: any MonotonicClock = SystemClock()
  ) {
    core = EmulationCore(coolDown: limits.coolDown)
    self.declared = declared
    self.limits = limits
    self.system = system
    self.clock = clock
  }

  /// Releasing a session ends it.
  deinit {
    core.invalidate(
      EmulationError(.invalidated, "the program released the session: keep a reference to it while it emulates"))
  }

  /// Presents the card on a link. A reader may come later.
  ///
  /// - Parameter link: A link that was never stopped.
  /// - Throws: `EmulationError`: `systemNotAvailable` while emulating and until the cool-down is over;
  ///   `radioDisabled`, `accessNotAccepted`, `systemEligibilityFailed` or `systemNotAvailable` when the system forbids
  ///   it; the error that ended the session when it has ended. The session does not change.
  public func startEmulation(on link: some EmulationLink) throws(EmulationError) {
    if let obstacle = system.obstacle() { throw obstacle.error }
    let slot = ResponseSlot()
    let run = try core.start(at: clock.now) {
      // The link first, so that the terminal loses the card and does not receive 6F00 from it.
      link.stop()
      slot.stop()
    }
    let card = ForwardingResponder(core: core, slot: slot, run: run, timeout: limits.answer)
    let thread = thread(serving: card, on: link, until: timer(of: run))
    runs.withLock { runs in
      runs.removeAll { $0.thread.result != nil }
      runs.append(thread)
    }
  }

  private func timer(of run: Int) -> Task<Void, Never> {
    let due = clock.now + limits.emulation
    return Task { [core, clock] in
      if (try? await clock.sleep(until: due)) != nil { core.limitReached(of: run) }
    }
  }

  private func thread(
    serving card: ForwardingResponder, on link: some EmulationLink, until timer: Task<Void, Never>
  ) -> Run {
    let thread = DedicatedThread<Void, Never>(named: "emulation") { [declared] in
      let failure = card.serve(on: link, declared: declared)
      timer.cancel()
      card.core.linkEnded(failure, of: card.run)
    }
    return Run(thread: thread, timer: timer)
  }

  /// Takes the card off its link; does nothing when it is on no link. After the cool-down the session can emulate
  /// again, on another link. The response of a command that is not answered yet is not sent.
  public func stopEmulation(_ status: EmulationStatus) {
    if core.stop(at: clock.now) { system.emulationStopped(with: status) }
  }

  /// Ends the session in any state; a session that has ended does not change.
  public func invalidate(by initiator: Initiator = .app) {
    switch initiator {
    case .app: core.invalidate(EmulationError(.invalidated, "the app has ended the session: create another one"))
    case .user: core.invalidate(EmulationError(.userInvalidated, "the user has ended the session: create another one"))
    }
  }

  /// Suspends until no thread of the session serves a link.
  public func finished() async {
    for run in runs.withLock(\.self) {
      await run.thread.value()
      await run.timer.value
    }
  }
}

extension ForwardingResponder {
  fileprivate func serve(on link: some EmulationLink, declared: DeclaredAIDs?) -> LinkError? {
    do throws(LinkError) {
      if let declared {
        var card = RoutedResponder(self, declared: declared)
        try link.serve(&card)
      } else {
        var card = self
        try link.serve(&card)
      }
      return nil
    } catch {
      return error
    }
  }
}

/// Why an emulated card is no longer selected. The raw values are those of Android's host card emulation
/// (`HostApduService.onDeactivated`).
public enum DeactivationReason: Int, Equatable, Sendable, CaseIterable {
  /// The field was switched off, or the card was reset or removed from it.
  case linkLoss = 0
  /// The terminal selected another AID, or deselected the card.
  case deselected = 1
}
