#if PCSC
  internal import Dispatch
  internal import Links
  internal import Octets
  internal import Synchronization

  /// A transaction on a thread of its own that can be left behind: nothing interrupts `SCardTransmit`, so a card that
  /// never answers would keep whoever waits for it for ever.
  final class PCSCSession: Sendable {
    private enum Phase {
      case idle
      case wanted(command: [UInt8], room: Int)
      case answered(Result<[UInt8], LinkError>)
      case over
    }

    private let reader: String
    private let phase = Mutex(Phase.idle)
    private let asked = DispatchSemaphore(value: 0)
    private let answered = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    init(_ transaction: consuming PCSCTransaction, reader: String) {
      self.reader = reader
      let owned = Mutex(Optional(transaction))
      _ = DedicatedThread<Void, Never>(named: "pcsc-card") {
        if let transaction = owned.withLock({ $0.take() }) { self.serve(transaction) }
        self.ended.signal()
      }
    }

    /// Sends a command and waits for the response.
    ///
    /// - Throws: `LinkError`: `.timedOut` when there is none in time; the card is left to the thread then, which lets go
    ///   of it as soon as it can.
    func exchange(_ command: [UInt8], room: Int, within limit: Duration) throws(LinkError) -> [UInt8] {
      phase.withLock { $0 = .wanted(command: command, room: room) }
      asked.signal()
      let end = Self.instant(after: limit)
      while true {
        // A signal of an exchange before this one may still be there, so only a late one tells that the time is up.
        let isLate = answered.wait(timeout: end) == .timedOut
        if let result = taken(orGivenUp: isLate) { return try result.get() }
        if isLate { break }
      }
      asked.signal()
      throw LinkError(
        .timedOut, "reader \"\(reader)\": the card has not answered within \(limit); take it off and lay it on again")
    }

    private func taken(orGivenUp isLate: Bool) -> Result<[UInt8], LinkError>? {
      phase.withLock { phase in
        if case .answered(let result) = phase {
          phase = .idle
          return result
        }
        if isLate { phase = .over }
        return nil
      }
    }

    /// At most a day away, which no wait here exceeds.
    private static func instant(after duration: Duration) -> DispatchTime {
      .now() + .nanoseconds(Int(min(max(duration.nanoseconds, 0), 86_400_000_000_000)))
    }

    /// How long a reset may take, which waits for a card that is silent as well.
    private static let leaving = Duration.seconds(5)

    /// Lets go of the card: it is reset, unless it is gone. Waits for that, though not for ever.
    func end() {
      let isServing = phase.withLock { phase in
        defer { phase = .over }
        if case .over = phase { return false }
        return true
      }
      guard isServing else { return }
      asked.signal()
      _ = ended.wait(timeout: Self.instant(after: Self.leaving))
    }

    // MARK: On the thread

    private func serve(_ transaction: consuming PCSCTransaction) {
      var isGone = false
      while let (command, room) = next() {
        let result = transaction.exchanged(command, room: room, reader: reader)
        if case .failure(let error) = result { isGone = error.code == .cardRemoved }
        phase.withLock { phase in
          if case .wanted = phase { phase = .answered(result) }
        }
        answered.signal()
      }
      // WORKAROUND: pcscd 1.9.9 that cannot reset a card calls the reader empty without telling its polling thread, and
      // then overlooks a card that comes within one poll period. So a card that is gone is left alone.
      if isGone { transaction.surrender() }
    }

    private func next() -> (command: [UInt8], room: Int)? {
      asked.wait()
      return phase.withLock { phase in
        if case .wanted(let command, let room) = phase { return (command, room) }
        return nil
      }
    }
  }

  extension PCSCTransaction {
    fileprivate borrowing func exchanged(
      _ command: [UInt8], room: Int, reader: String
    ) -> Result<[UInt8], LinkError> {
      var buffer = [UInt8](repeating: 0, count: room)
      do throws(PCSCError) {
        let count = try buffer.withMutableOctets { (room) throws(PCSCError) in
          try transmit(command.span, into: &room)
        }
        if count >= 2 { return .success(Array(buffer.prefix(count))) }
        // WORKAROUND: vpcd reports a card torn out during a command as success with nothing received.
        if card.context.seesNoCard(in: reader) { throw PCSCError.removedCard }
        return .failure(
          LinkError(
            .protocolViolation,
            "reader \"\(reader)\": the card answered with \(count) octets, and a response has at least 2"))
      } catch {
        return .failure(card.context.explanation(of: error, in: reader))
      }
    }
  }

  extension PCSCContext {
    /// The service looks for the card every 400 ms, so a card that has just been torn out is still reported as present.
    private static let pollPeriod = Duration.milliseconds(400)

    /// What went wrong. The library's own words for a card or a reader that is gone can be vague: an exchange that failed,
    /// or, without its reader, a value that has no meaning (0x80100011).
    fileprivate borrowing func explanation(of error: PCSCError, in reader: String) -> LinkError {
      if hasLost(reader) { return LinkError(.readerUnavailable, "reader \"\(reader)\": it was pulled out") }
      if error == .notTransacted, seesNoCard(in: reader) { return PCSCError.removedCard.linkError(reader: reader) }
      return error.linkError(reader: reader)
    }

    private borrowing func hasLost(_ reader: String) -> Bool {
      do throws(PCSCError) {
        return try !readerNames().contains(reader)
      } catch {
        // The service itself is away, which the error at hand tells already.
        return false
      }
    }

    /// Whether the card is gone, or is found to be within one poll period and a half.
    fileprivate borrowing func seesNoCard(in reader: String) -> Bool {
      var belief = PCSCBelief(reader: reader, flags: 0)
      let deadline = ContinuousClock.now + Self.pollPeriod * 1.5
      repeat {
        do throws(PCSCError) {
          let rest = max(deadline - ContinuousClock.now, .zero)
          guard let sight = try sights(unless: [belief], for: rest).first else { return false }
          if sight.isGone || sight.status.card == nil { return true }
          belief = PCSCBelief(reader: reader, flags: sight.flags)
        } catch {
          return error == .unknownReader
        }
      } while ContinuousClock.now < deadline
      return false
    }
  }
#endif
