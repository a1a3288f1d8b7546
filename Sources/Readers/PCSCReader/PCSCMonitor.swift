#if PCSC
  public import Links
  public import Octets
  internal import Synchronization

  /// Hears of readers and cards from the reader service, through a context of its own.
  public final class PCSCMonitor: ReaderMonitor {
    /// The longest wait without looking at the list of readers: the service's notification compares with the list as it
    /// was when the wait began, so a reader that came just before would be missed.
    private static let longestWait = Duration.milliseconds(500)

    private struct Watch {
      var inventory = ReaderInventory()
      var names: [String] = []
      var flags: [String: UInt] = [:]
      var events: [ReaderEvent] = []
      var isStopped = false
      var isWaiting = false

      /// What the service said last; nothing when the list has changed, so that it tells everything anew.
      mutating func knowledge(of names: [String]) -> [String: UInt] {
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
    /// - Parameter clock: Where the instants of events come from.
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
    /// - Throws: `LinkError`: `.stopped`, or `.serviceUnavailable` when pcscd goes away; a new monitor is needed then.
    public func next(timeout: Duration) throws(LinkError) -> ReaderEvent? {
      let deadline = ContinuousClock.now + timeout
      while true {
        if let event = try pending() { return event }
        let rest = max(deadline - .now, .zero)
        do throws(PCSCError) {
          try look(for: min(rest, Self.longestWait))
        } catch {
          // Stopping cancels the wait; what it then says of itself does not matter.
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

    private func look(for timeout: Duration) throws(PCSCError) {
      let names = try context.readerNames().distinct
      let known = watch.withLock { $0.knowledge(of: names) }
      if names.isEmpty { note([]) }
      var beliefs = names.map { PCSCBelief(reader: $0, flags: known[$0] ?? 0) }
      beliefs.append(PCSCBelief(reader: PCSCContext.readerNotification, flags: 0))
      guard begin() else { return }
      defer { end() }
      do throws(PCSCError) {
        note(try context.sights(unless: beliefs, for: timeout).prefix(names.count))
      } catch PCSCError.timedOut {
        // Nothing changed.
      } catch PCSCError.unknownReader {
        // One went away after the list was made: the next look has a new list.
      }
    }

    private func note(_ sights: ArraySlice<PCSCSight>) {
      let present = sights.filter { !$0.isGone }
      let instant = clock.now
      watch.withLock { watch in
        watch.flags = Dictionary(sights.map { ($0.status.name, $0.flags) }) { $1 }
        watch.events += watch.inventory.update(with: present.map(\.status.sighting), at: instant)
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
      // A cancellation that comes before the wait has reached the service is lost, so it is repeated until heard.
      while watch.withLock({ $0.isWaiting }) {
        context.cancel()
        pause(for: .milliseconds(2))
      }
    }
  }

  extension PCSCReaderStatus {
    fileprivate var sighting: ReaderInventory.Sighting {
      ReaderInventory.Sighting(reader: name, card: card, generation: generation)
    }
  }
#endif
