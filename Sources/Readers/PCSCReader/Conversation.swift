internal import Dispatch
internal import Links
internal import Synchronization

/// Somebody whose calls block without a limit, and whom nothing interrupts: a card or a reader behind libpcsclite.
protocol Partner: ~Copyable, SendableMetatype {
  associatedtype Greeting: Sendable
  associatedtype Question: Sendable

  /// Gets hold of the partner, and waits until a deadline for others who have it.
  init(reader: String, until deadline: ContinuousClock.Instant) throws(LinkError)

  /// Begins. A partner whom nobody waits for any more is not greeted, and must stay as others now expect it.
  mutating func greet() throws(LinkError) -> Greeting

  mutating func answer(to question: Question) -> Result<[UInt8], LinkError>

  /// Lets go of the partner.
  consuming func leave()
}

extension Partner where Self: ~Copyable {
  consuming func leave() {}
}

/// How long others who have a partner are waited for at a time.
let retryInterval = Duration.milliseconds(50)

/// How long a greeting may take: longer than any reader waits for its chip.
private let greetingLimit = Duration.seconds(8)

/// A thread that talks to a partner, for others who wait for it or leave it behind.
///
/// Questions are asked one after the other. One whose answer nobody waits for any more still holds the partner until
/// its call ends.
final class Conversation<Other: Partner & ~Copyable>: Sendable {
  private struct Request: Sendable {
    let question: Other.Question
    let answer = Outcome<[UInt8]>()
  }

  private struct State {
    var requests: [Request] = []
    var isClosed = false
  }

  private let reader: String
  private let state = Mutex(State())
  private let changed = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  private init(reader: String) {
    self.reader = reader
  }

  /// Gets hold of a partner and greets it.
  ///
  /// - Parameters:
  ///   - reader: The full name.
  ///   - name: The thread's name.
  ///   - patience: How long to wait in all while others have the partner.
  static func begin(
    with reader: String, on name: String, patience: Duration
  ) throws(LinkError) -> (Conversation, Other.Greeting) {
    let conversation = Conversation(reader: reader)
    let (claim, greeting) = (Outcome<Void>(), Outcome<Other.Greeting>())
    _ = DedicatedThread(named: name) {
      let last = conversation.converse(claim, greeting, until: .now + patience)
      conversation.ended.signal()
      if let last { conversation.refuse([last]) }
    }
    do throws(LinkError) {
      try claim.value(
        within: patience + retryInterval,
        else: LinkError(
          .busy, "reader \"\(reader)\": another program has kept it to itself for more than \(patience)"))
      let greeting = try greeting.value(
        within: greetingLimit,
        else: LinkError(.timedOut, "reader \"\(reader)\" did not answer in time: plug it out and in again"))
      return (conversation, greeting)
    } catch {
      conversation.close()
      throw error
    }
  }

  /// - Returns: The request that ran when somebody ended the conversation.
  private func converse(
    _ claim: Outcome<Void>, _ greeting: Outcome<Other.Greeting>, until deadline: ContinuousClock.Instant
  ) -> Request? {
    var partner: Other
    do throws(LinkError) {
      partner = try Other(reader: reader, until: deadline)
    } catch {
      claim.settle(.failure(error))
      return nil
    }
    var last: Request?
    var failure: LinkError?
    if claim.settle(.success(())) {
      do throws(LinkError) {
        greeting.settle(.success(try partner.greet()))
        last = serve(&partner)
      } catch { failure = error }
    }
    partner.leave()
    if let failure { greeting.settle(.failure(failure)) }
    return last
  }

  private func serve(_ partner: inout Other) -> Request? {
    while let request = next() {
      guard request.answer.isOpen else { continue }
      let answer = partner.answer(to: request.question)
      if isClosed { return request }
      request.answer.settle(answer)
    }
    return nil
  }

  private var isClosed: Bool { state.withLock(\.isClosed) }

  /// Waits for the next request; nil when there will be none.
  private func next() -> Request? {
    while true {
      let (request, isClosed) = state.withLock { state in
        (state.requests.isEmpty ? nil : state.requests.removeFirst(), state.isClosed)
      }
      if request != nil || isClosed { return request }
      changed.wait()
    }
  }

  /// Asks without waiting.
  func ask(_ question: Other.Question) -> Outcome<[UInt8]> {
    let request = Request(question: question)
    let isClosed = state.withLock { state in
      if !state.isClosed { state.requests.append(request) }
      return state.isClosed
    }
    if isClosed { refuse([request]) }
    changed.signal()
    return request.answer
  }

  /// Lets go of the partner after the call that goes on, and waits for that.
  ///
  /// - Parameter patience: How long to wait for a call that blocks.
  func end(patience: Duration) {
    close()
    if ended.wait(timeout: DispatchTime(after: patience)) == .success { ended.signal() }
  }

  private func close() {
    refuse(
      state.withLock { state in
        defer { state = State(isClosed: true) }
        return state.requests
      })
    changed.signal()
  }

  private func refuse(_ requests: [Request]) {
    let error = LinkError(.readerUnavailable, "reader \"\(reader)\" was let go of; open it again")
    for request in requests { request.answer.settle(.failure(error)) }
  }
}
