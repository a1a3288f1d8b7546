internal import ISO7816
internal import Links
internal import Synchronization

/// A link whose visitor runs on the thread that serves the card, so that no command changes threads.
final class VisitedLink: EmulationLink {
  private let visit: BenchmarkVisit
  private let visits: AsyncStream<BenchmarkVisit>
  private let continuation: AsyncStream<BenchmarkVisit>.Continuation
  private let isStopped = Atomic<Bool>(false)

  init(_ visit: BenchmarkVisit) {
    self.visit = visit
    (visits, continuation) = AsyncStream.makeStream()
  }

  /// The visit after its end; nil when the link was stopped before it began.
  var ended: BenchmarkVisit? {
    get async { await visits.first { _ in true } }
  }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    defer { continuation.finish() }
    guard !isStopped.load(ordering: .acquiring) else { return }
    var visit = visit
    var channel = DirectChannel(responder)
    visit.visit(&channel)
    responder = channel.end()
    continuation.yield(visit)
  }

  /// Prevents a visit that has not begun. One that has begun ends by itself: the card answers each command at once.
  func stop() { isStopped.store(true, ordering: .releasing) }
}
