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

    /// How long those wait who let go of a reader: longer than all that is left to say takes, unless a call blocks.
    private static let patienceAtEnd = Duration.seconds(1)

    private init(reader: String) {
      self.reader = reader
    }

    /// Connects to the reader and makes sure of its chip.
    ///
    /// - Parameter patience: How long to wait in all while others use the reader.
    static func begin(with reader: String, patience: Duration) throws(LinkError) -> ACR122Conversation {
      let conversation = ACR122Conversation(reader: reader)
      let opening = ACR122Request([])
      _ = DedicatedThread(named: "acr122") {
        conversation.converse(opening, until: .now + patience)
        conversation.ended.signal()
      }
      do throws(LinkError) {
        _ = try opening.result(timeout: patience + ACR122Device.patience)
        return conversation
      } catch {
        conversation.close()
        guard error.code == .timedOut else { throw error }
        throw LinkError(
          .busy, "reader \"\(reader)\": another program has kept the reader to itself for more than \(patience)")
      }
    }

    private func converse(_ opening: ACR122Request, until deadline: ContinuousClock.Instant) {
      do throws(LinkError) {
        let session = try ACR122Session.begin(with: reader, until: deadline)
        opening.settle(.success([]))
        while let request = next() {
          guard request.isOpen else { continue }
          request.settle(session.outcome(of: request.command))
        }
      } catch {
        opening.settle(.failure(error))
      }
    }

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
      state.withLock { $0.requests.append(request) }
      changed.signal()
    }

    /// Lets go of the reader once all requests have run, and waits for that, but not for a call that blocks.
    func end() {
      close()
      _ = ended.wait(timeout: .now() + .nanoseconds(Int(clamping: Self.patienceAtEnd.nanoseconds)))
    }

    private func close() {
      state.withLock { $0.isClosed = true }
      changed.signal()
    }
  }
#endif
