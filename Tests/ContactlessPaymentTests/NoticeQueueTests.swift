import Links
import Testing

@testable import ContactlessPayment

@Suite("Notices from the card's thread to its session", .timeLimit(.minutes(20)))
struct NoticeQueueTests {
  private func numbers(_ notices: [CardThreadEvent]) -> [Int] {
    notices.compactMap { if case .held(let number) = $0 { number } else { nil } }
  }

  @Test func `notices of the same kind that wait for the session all arrive, in their order`() async {
    let queue = CardEventQueue()
    let sent = Array(1...40)
    for number in sent { queue.send(.held(number)) }
    queue.finish()
    #expect(await queue.next().map { numbers($0) } == sent)
    #expect(await queue.next()?.count == nil)
  }

  @Test func `a session that waits receives the notices of another thread, and then their end`() async throws {
    let queue = CardEventQueue()
    let sent = Array(1...1_000)
    let thread = DedicatedThread(named: "card") {
      for number in sent { queue.send(.held(number)) }
      queue.finish()
    }
    var received: [Int] = []
    while let notices = await queue.next() { received += numbers(notices) }
    await thread.value()
    #expect(received == sent)
  }
}
