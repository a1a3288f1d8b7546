package import ISO7816
internal import Synchronization

/// A link whose terminal runs inside `serve`, for one tap, and waits for nothing but the card's responses. Its card needs
/// no thread of its own: a task can serve it.
package protocol DirectLink: EmulationLink {}

/// A link whose visitor runs on the thread that serves the card, so that no command changes threads.
package final class DirectVisit<Visitor: CardVisitor & Sendable>: DirectLink {
  private let visitor: Visitor
  private let visits: AsyncStream<Visitor>
  private let continuation: AsyncStream<Visitor>.Continuation
  private let isStopped = Atomic<Bool>(false)

  package init(_ visitor: Visitor) {
    self.visitor = visitor
    (visits, continuation) = AsyncStream.makeStream()
  }

  /// The visitor after its visit; nil when the link was stopped before it served.
  package var ended: Visitor? {
    get async { await visits.first { _ in true } }
  }

  package func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    defer { continuation.finish() }
    guard !isStopped.load(ordering: .acquiring) else { return }
    var visitor = visitor
    var channel = DirectChannel(responder)
    visitor.visit(&channel)
    responder = channel.end()
    continuation.yield(visitor)
  }

  /// Prevents a visit that has not begun. One that has begun ends by itself: the card answers each command at once.
  package func stop() { isStopped.store(true, ordering: .releasing) }
}
