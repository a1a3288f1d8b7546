#if PCSC
  internal import Links
  internal import Synchronization

  /// One attempt to get a card for ourselves, on a thread that can be left behind: `SCardConnect` blocks for as long as
  /// another program holds a transaction, and nothing interrupts it.
  final class PCSCAttempt: Sendable {
    private struct State: ~Copyable {
      var isAbandoned = false
      var transaction: PCSCTransaction?
    }

    private let state = Mutex(State())

    /// Gets the card, or says why not.
    ///
    /// - Parameter patience: How long to wait in all while others use the card.
    static func run(reader: String, patience: Duration) throws(LinkError) -> PCSCTransaction {
      let attempt = PCSCAttempt()
      let thread = DedicatedThread(named: "pcsc-connect") { () throws(PCSCError) in
        try attempt.connect(to: reader, until: .now + patience)
      }
      do throws(PCSCError) {
        _ = try thread.join(timeout: patience + retryInterval)
      } catch {
        throw error.linkError(reader: reader)
      }
      if let transaction = attempt.claim() { return transaction }
      throw LinkError(
        .busy, "reader \"\(reader)\": another program has kept the card to itself for more than \(patience)")
    }

    private static let retryInterval = Duration.milliseconds(50)

    private func connect(to reader: String, until deadline: ContinuousClock.Instant) throws(PCSCError) {
      while true {
        do throws(PCSCError) {
          keep(try PCSCContext().connect(to: reader).beginTransaction())
          return
        } catch PCSCError.sharingViolation where ContinuousClock.now < deadline {
          pause(for: Self.retryInterval)
        }
      }
    }

    private func keep(_ transaction: consuming PCSCTransaction) {
      var kept = Optional(transaction)
      state.withLock { state in
        if !state.isAbandoned { state.transaction = kept.take() }
      }
      // Too late for us: the card must stay as whoever uses it now expects it.
      if let late = kept.take() { late.surrender() }
    }

    private func claim() -> PCSCTransaction? {
      state.withLock { state in
        state.isAbandoned = true
        return state.transaction.take()
      }
    }
  }

  extension PCSCTransaction {
    /// Lets go of the card without touching it.
    consuming func surrender() {
      do throws(PCSCError) {
        _ = try end(.leave).disconnect(.leave)
      } catch {
        // The card or the service is gone, and so is the claim to it.
      }
    }
  }
#endif
