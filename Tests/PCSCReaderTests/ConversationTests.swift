import Dispatch
import Links
import Synchronization
import TestSupport
import Testing

@testable import PCSCReader

/// Who owns a partner whose calls may never return. What the real partners do is tested at real readers.
@Suite("A conversation with somebody who may never answer", .blocks)
struct ConversationTests {
  /// Notes what it is asked, and answers when it is let.
  final class Desk: Sendable {
    let asked = Mutex<[UInt8]>([])
    let gate = DispatchSemaphore(value: 0)

    func waits(for questions: [UInt8]) -> Bool {
      for _ in 0..<6_000 {
        if asked.withLock({ $0 == questions }) { return true }
        pause(for: .milliseconds(10))
      }
      return false
    }
  }

  struct Question: Sendable {
    let number: UInt8
    let desk: Desk
  }

  struct SlowPartner: ~Copyable, Partner {
    init(reader: String, until deadline: ContinuousClock.Instant) throws(LinkError) {}

    mutating func greet() throws(LinkError) {}

    mutating func answer(to question: Question) -> Result<[UInt8], LinkError> {
      question.desk.asked.withLock { $0.append(question.number) }
      question.desk.gate.wait()
      return .success([question.number])
    }
  }

  static let late = LinkError(.timedOut, "")

  @Test func `a question that was given up before its turn is not asked`() throws {
    let desk = Desk()
    let (conversation, _) = try Conversation<SlowPartner>.begin(with: "slow", on: "slow", patience: .seconds(60))
    let first = conversation.ask(Question(number: 1, desk: desk))
    #expect(desk.waits(for: [1]))
    let second = conversation.ask(Question(number: 2, desk: desk))
    let error = linkError { () throws(LinkError) in
      _ = try second.value(within: .milliseconds(10), else: Self.late)
    }
    #expect(error?.code == .timedOut)
    let third = conversation.ask(Question(number: 3, desk: desk))
    desk.gate.signal()
    desk.gate.signal()
    #expect(try first.value(within: .seconds(60), else: Self.late) == [1])
    #expect(try third.value(within: .seconds(60), else: Self.late) == [3])
    #expect(desk.asked.withLock { $0 } == [1, 3])
    conversation.end(patience: .seconds(60))
  }

  @Test func `the end refuses what waits at once, and what is under way when its call is over`() throws {
    let desk = Desk()
    let (conversation, _) = try Conversation<SlowPartner>.begin(with: "slow", on: "slow", patience: .seconds(60))
    let first = conversation.ask(Question(number: 1, desk: desk))
    #expect(desk.waits(for: [1]))
    let second = conversation.ask(Question(number: 2, desk: desk))
    conversation.end(patience: .zero)
    #expect(!second.isOpen && first.isOpen)
    let third = conversation.ask(Question(number: 3, desk: desk))
    #expect(!third.isOpen)
    desk.gate.signal()
    for question in [first, second, third] {
      let error = linkError { () throws(LinkError) in _ = try question.value(within: .seconds(60), else: Self.late) }
      #expect(error?.code == .readerUnavailable)
    }
    #expect(desk.asked.withLock { $0 } == [1])
  }
}
