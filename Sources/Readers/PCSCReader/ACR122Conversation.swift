#if PCSC
  internal import Dispatch
  internal import Links
  internal import Octets
  internal import Synchronization

  /// A thread that talks to the chip in one reader, for others that wait for it or stop waiting: `SCardControl` blocks
  /// until the driver answers, and nothing interrupts it.
  ///
  /// Requests run one after the other. One that nobody waits for any more still holds the reader until its call ends.
  final class ACR122Conversation: Sendable {
    /// The reader's full name.
    let reader: String

    private struct State {
      var requests: [ACR122Request] = []
      var isClosed = false
    }

    private let state = Mutex(State())
    private let changed = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    private init(reader: String) {
      self.reader = reader
    }

    /// Connects to the reader and makes sure of its chip.
    ///
    /// - Parameter patience: How long to wait in all while others use the reader.
    static func begin(with reader: String, patience: Duration) throws(LinkError) -> ACR122Conversation {
      let conversation = ACR122Conversation(reader: reader)
      let (claim, opening) = (ACR122Request([]), ACR122Request([]))
      _ = DedicatedThread(named: "acr122") {
        let last = conversation.converse(claim, opening, until: .now + patience)
        conversation.ended.signal()
        if let last { conversation.refuse([last]) }
      }
      do throws(LinkError) {
        guard try claim.result(timeout: patience + ACR122Session.retryInterval) != nil else {
          throw LinkError(
            .busy, "reader \"\(reader)\": another program has kept the reader to itself for more than \(patience)")
        }
        guard try opening.result(timeout: ACR122Device.patience) != nil else {
          throw LinkError(.timedOut, "reader \"\(reader)\" did not answer in time: plug it out and in again")
        }
        return conversation
      } catch {
        _ = conversation.close()
        throw error
      }
    }

    /// - Returns: The request that ran when somebody let go of the reader.
    private func converse(
      _ claim: ACR122Request, _ opening: ACR122Request, until deadline: ContinuousClock.Instant
    ) -> ACR122Request? {
      do throws(LinkError) {
        var session = try ACR122Session(reader: reader, until: deadline)
        claim.settle(.success([]))
        // Too late: the reader must stay as whoever uses it now expects it.
        if isClosed { return nil }
        try session.open()
        opening.settle(.success([]))
        return serve(session)
      } catch {
        claim.settle(.failure(error))
        opening.settle(.failure(error))
        return nil
      }
    }

    private func serve(_ session: borrowing ACR122Session) -> ACR122Request? {
      while let request = next() {
        guard request.isOpen else { continue }
        let outcome = session.outcome(of: request.command)
        if isClosed { return request }
        request.settle(outcome)
      }
      return nil
    }

    private var isClosed: Bool { state.withLock(\.isClosed) }

    /// Waits for the next request; nil when there will be none.
    private func next() -> ACR122Request? {
      while true {
        let (request, isClosed) = state.withLock { state in
          (state.requests.isEmpty ? nil : state.requests.removeFirst(), state.isClosed)
        }
        if request != nil || isClosed { return request }
        changed.wait()
      }
    }

    /// Asks without waiting.
    func post(_ request: ACR122Request) {
      let isClosed = state.withLock { state in
        if !state.isClosed { state.requests.append(request) }
        return state.isClosed
      }
      if isClosed { refuse([request]) }
      changed.signal()
    }

    /// Lets go of the reader after the call that goes on, and waits for that.
    ///
    /// - Parameter patience: How long to wait for a call that blocks.
    func end(patience: Duration) {
      refuse(close())
      if ended.wait(timeout: .now() + .nanoseconds(Int(clamping: patience.nanoseconds))) == .success { ended.signal() }
    }

    private func close() -> [ACR122Request] {
      defer { changed.signal() }
      return state.withLock { state in
        defer { state.requests = [] }
        state.isClosed = true
        return state.requests
      }
    }

    private func refuse(_ requests: [ACR122Request]) {
      let error = LinkError(.readerUnavailable, "reader \"\(reader)\" was let go of; open it again")
      for request in requests { request.settle(.failure(error)) }
    }
  }
#endif
