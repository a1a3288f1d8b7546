internal import EMVTerminal
internal import ISO7816
internal import Links
internal import PaymentAcceptance
internal import Synchronization

/// A link whose terminal takes one payment on the thread that serves the card, so that no exchange changes threads.
final class DirectTap: DirectLink {
  private let request: PaymentRequest
  private let terminal: PaymentAcceptance
  private let results: AsyncStream<PaymentResult>
  private let continuation: AsyncStream<PaymentResult>.Continuation
  private let isStopped = Atomic<Bool>(false)

  init(of request: PaymentRequest, at terminal: PaymentAcceptance) {
    self.request = request
    self.terminal = terminal
    (results, continuation) = AsyncStream.makeStream()
  }

  /// The result; nil when the link was stopped before it served.
  var result: PaymentResult? {
    get async { await results.first { _ in true } }
  }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    defer { continuation.finish() }
    guard !isStopped.load(ordering: .acquiring) else { return }
    var channel = DirectChannel(responder)
    continuation.yield(terminal.result(of: request, over: &channel))
    responder = channel.end()
  }

  /// Prevents a tap that has not begun. One that has begun ends by itself: the card answers each command at once.
  func stop() { isStopped.store(true, ordering: .releasing) }
}
