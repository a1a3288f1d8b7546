#if PCSC
  public import Links
  public import Octets
  internal import Synchronization

  /// Reports readers and cards through its own context of the reader service.
  public final class PCSCMonitor: ReaderMonitor {
    /// The longest wait before the list of readers is read again. The service's notification compares with the list at
    /// the start of the wait, so a reader that was plugged in just before would be missed.
    private static let longestWait = Duration.milliseconds(500)

    private struct Watch {
      var inventory = ReaderInventory()
      var names: [String] = []
      var flags: [String: UInt] = [:]
      var events: [ReaderEvent] = []
      var isStopped = false
      var isWaiting = false

      /// The flags of the last report; none when the list of readers has changed, so that the service reports all
      /// states.
      mutating func knownFlags(for names: [String]) -> [String: UInt] {
        if names != self.names { flags = [:] }
        self.names = names
        return flags
      }
    }

    private let context: PCSCContext
    private let clock: any MonotonicClock
    private let watch = Mutex(Watch())

    /// Connects to the service.
    ///
    /// - Parameter clock: Gives the instants of the events. The timeouts are measured in real time.
    /// - Throws: `LinkError.Code.serviceUnavailable` when pcscd does not run.
    public init(clock: any MonotonicClock = SystemClock()) throws(LinkError) {
      do throws(PCSCError) {
        context = try PCSCContext()
      } catch {
        throw error.linkError()
      }
      self.clock = clock
    }

    /// Waits for the next event.
    ///
    /// - Throws: `LinkError`: `.stopped`, or `.serviceUnavailable` when pcscd ends; create a new monitor then.
    public func next(timeout: Duration) throws(LinkError) -> ReaderEvent? {
      let deadline = SystemClock().now + timeout
      while true {
        if let event = try pending() { return event }
        let rest = max(deadline - SystemClock().now, .zero)
        do throws(PCSCError) {
          try poll(for: min(rest, Self.longestWait))
        } catch {
          // Stopping cancels the wait; its error is then replaced by `.stopped`.
          _ = try pending()
          throw error.linkError()
        }
        if rest == .zero { return try pending() }
      }
    }

    private func pending() throws(LinkError) -> ReaderEvent? {
      try watch.withLock { (watch) throws(LinkError) in
        if watch.isStopped { throw LinkError.monitorStopped }
        return watch.events.isEmpty ? nil : watch.events.removeFirst()
      }
    }

    private func poll(for timeout: Duration) throws(PCSCError) {
      let names = try context.readerNames().distinct
      let known = watch.withLock { $0.knownFlags(for: names) }
      if names.isEmpty { record([]) }
      var states = names.map { PCSCKnownState(reader: $0, flags: known[$0] ?? 0) }
      states.append(PCSCKnownState(reader: PCSCContext.readerNotification, flags: 0))
      guard begin() else { return }
      defer { end() }
      do throws(PCSCError) {
        record(try context.states(after: states, for: timeout).prefix(names.count))
      } catch PCSCError.timedOut {
        // Nothing changed.
      } catch PCSCError.unknownReader {
        // A reader was unplugged after the list was read: the next poll reads a new list.
      }
    }

    private func record(_ states: ArraySlice<PCSCReportedState>) {
      let present = states.filter { !$0.isGone && !$0.status.isUnresponsive }
      let instant = clock.now
      watch.withLock { watch in
        watch.flags = Dictionary(states.map { ($0.status.name, $0.flags) }) { $1 }
        watch.events += watch.inventory.update(with: present.map(\.status), at: instant)
      }
    }

    private func begin() -> Bool {
      watch.withLock { watch in
        watch.isWaiting = !watch.isStopped
        return watch.isWaiting
      }
    }

    private func end() {
      watch.withLock { $0.isWaiting = false }
    }

    /// Ends the wait.
    public func stop() {
      watch.withLock { $0.isStopped = true }
      // A cancellation before the wait has reached the service has no effect, so it is repeated until the wait ends.
      while watch.withLock({ $0.isWaiting }) {
        context.cancel()
        pause(for: .milliseconds(2))
      }
    }
  }
#endif
