public import Octets
internal import Synchronization

/// Card emulation for programs that answer APDUs in code of their own, as phones offer it: commands come as events,
/// answers go back from wherever they are found.
///
/// ```
/// sessionStarted (readerDetected received* readerDeselected)* sessionInvalidated
/// ```
/// The link runs on a thread of its own, which waits there for each answer; neither the caller's thread nor the
/// cooperative pool is blocked. Read the events all the time: an APDU that nobody takes is answered with `6F00`.
public final class CardEmulationSession: Sendable {
  /// What happens, in this order.
  public enum Event: Sendable {
    /// The session exists; nothing is on a link.
    case sessionStarted
    /// A reader's field powers the card, or a reader is back at it.
    case readerDetected
    /// A command came: answer it exactly once.
    case received(ReceivedAPDU)
    /// The reader left, or chose another application.
    case readerDeselected(DeactivationReason)
    /// The session has ended. The last event, told once; its reason is never `transmissionError`.
    case sessionInvalidated(EmulationError)
  }

  /// Who ended a session.
  public enum Initiator: Sendable, CaseIterable {
    /// The app: `invalidated`.
    case app
    /// The person who uses it: `userInvalidated`.
    case user
  }

  /// What happens, for one reader. Cancelling the task that reads them ends the session.
  public var events: AsyncStream<Event> { core.events }

  private let core: EmulationCore
  private let declared: DeclaredAIDs?
  private let limits: EmulationLimits
  private let system: any EmulationSystem
  private let clock: any MonotonicClock
  private let runs = Mutex<[Run]>([])

  /// The thread of one emulation, and the timer that bounds it.
  private struct Run {
    let thread: DedicatedThread<Void, Never>
    let timer: Task<Void, Never>
  }

  /// Begins a session with nothing on a link.
  ///
  /// - Parameters:
  ///   - declared: The names the card answers to, see `AIDRouter`; nil lets every command through.
  ///   - limits: The times that bound it.
  ///   - system: What the device says about emulation.
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

  /// A session that is let go ends.
  deinit {
    core.invalidate(EmulationError(.invalidated, "the session was let go of"))
  }

  /// Presents the card on a link. A reader need not be there yet.
  ///
  /// - Parameter link: A new one: a link that was stopped serves no more.
  /// - Throws: `EmulationError`: `systemNotAvailable` while emulating and until the cool-down is over;
  ///   `radioDisabled`, `accessNotAccepted`, `systemEligibilityFailed` or `systemNotAvailable` when the system says
  ///   so; the reason of its end when the session has ended. The session stays as it was.
  public func startEmulation(on link: some EmulationLink) throws(EmulationError) {
    if let obstacle = system.obstacle() { throw obstacle.error }
    let exchange = AnswerExchange()
    let run = try core.start(at: clock.now) {
      // First the link, so that the terminal hears of a card that left and not of one that answers nonsense.
      link.stop()
      exchange.stop()
    }
    let card = EmulatedCard(core: core, exchange: exchange, run: run, timeout: limits.answer)
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

  private func thread(serving card: EmulatedCard, on link: some EmulationLink, until timer: Task<Void, Never>) -> Run {
    let thread = DedicatedThread<Void, Never>(named: "emulation") { [declared] in
      let failure = card.serve(on: link, declared: declared)
      timer.cancel()
      card.core.linkEnded(failure, of: card.run)
    }
    return Run(thread: thread, timer: timer)
  }

  /// Takes the card off its link; nothing happens when it is on none. The session may emulate again, on another link,
  /// when the cool-down is over. An answer that is owed is not sent.
  public func stopEmulation(_ status: EmulationStatus) {
    if core.stop(at: clock.now) { system.emulationStopped(with: status) }
  }

  /// Ends the session, in any state; one that has ended stays as it is.
  public func invalidate(by initiator: Initiator = .app) {
    switch initiator {
    case .app: core.invalidate(EmulationError(.invalidated, "the app has ended the session: begin another"))
    case .user: core.invalidate(EmulationError(.userInvalidated, "the user has ended the session: begin another"))
    }
  }

  /// Waits until no thread of the session is on a link.
  public func finished() async {
    for run in runs.withLock(\.self) {
      await run.thread.value()
      await run.timer.value
    }
  }
}

extension EmulatedCard {
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
