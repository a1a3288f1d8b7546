import ContactlessPayment
import Foundation
import Links
import Octets
import ReaderSimulator
import Synchronization
import TestSupport
import Testing

@Suite("Payments through two chips whose field fails", .blocks, .serialized, .timeLimit(.minutes(60)))
struct NFCSoakTests {
  /// `tools/test --soak` asks for many.
  static let taps = Soak.isOn ? 2_000 : 150
  static let seed = ProcessInfo.processInfo.environment["CONTACTLESS_SOAK_SEED"].flatMap(UInt64.init) ?? 2026

  // In a process of its own, so that descriptors and children can be counted.
  @Test func `every tap ends on both sides, no use is taken twice, and nothing is left behind`() async {
    await #expect(processExitsWith: .success) {
      do {
        // What the system opens once for a process, and keeps.
        _ = try await NFCSoak(seed: 1).run(taps: 2)
        let before = await OpenResources.atRest()
        let tally = try await NFCSoak(seed: NFCSoakTests.seed).run(taps: NFCSoakTests.taps)
        #expect(tally.approved > NFCSoakTests.taps / 4 && tally.torn > NFCSoakTests.taps / 20, "\(tally)")
        #expect(tally.faultyFrames > NFCSoakTests.taps, "\(tally)")
        let after = await OpenResources.atRest()
        #expect(after.children.isEmpty && after.descriptors <= before.descriptors, "\(before), then \(after)")
      } catch { Issue.record("\(error)") }
    }
  }
}

/// Taps one after the other, each under faults that follow from the seed and the tap's number.
private struct NFCSoak {
  struct Tally: CustomStringConvertible {
    var approved = 0
    var torn = 0
    /// The card had paid and left: its last response was lost.
    var noCard = 0
    /// The card had paid, and was still there: its last response was lost.
    var refused = 0
    var lastRefusal = ""
    var faultyFrames = 0
    var slowest = Duration.zero

    mutating func note(_ tap: SoakSetup.Tap, frames: Int, _ time: Duration) {
      slowest = max(slowest, time)
      faultyFrames += frames
      switch tap {
      case .approved: approved += 1
      case .torn: torn += 1
      case .noCard: noCard += 1
      case .refused(let reason):
        refused += 1
        lastRefusal = reason
      }
    }

    var description: String {
      """
      approved \(approved), torn \(torn), no card \(noCard), refused \(refused) (\(lastRefusal)), faulty frames \
      \(faultyFrames), slowest \(slowest)
      """
    }
  }

  /// How long a tap, or the end of a session, may take on a busy machine.
  static let limit = Duration.seconds(60)
  /// How often the same payment is tapped before its holder gives up.
  static let tapsPerPayment = 3

  private let seed: UInt64
  private let setup: SoakSetup
  private var tally = Tally()
  private var number = 0

  init(seed: UInt64) async throws {
    self.seed = seed
    setup = try await SoakSetup(seed: seed)
  }

  /// One frame in twenty goes wrong.
  private var plan: FieldFaultPlan {
    .random(
      seed: seed &* 1_000_003 &+ UInt64(number),
      [
        (.drop, 18), (.corrupt, 18), (.delay(.milliseconds(4)), 6), (.tear(absence: .milliseconds(20)), 4),
        (.fieldOff(.milliseconds(20)), 4),
      ])
  }

  /// Pays until so many taps are made, and then once with each card undisturbed.
  consuming func run(taps: Int) async throws -> Tally {
    do {
      while number < taps {
        try await pay(with: SoakSetup.cards[number % SoakSetup.cards.count], disturbed: true)
      }
      for card in SoakSetup.cards { try await pay(with: card, disturbed: false) }
    } catch {
      throw SoakFailure("seed \(seed), tap \(number): \(error); \(tally)")
    }
    return tally
  }

  private mutating func pay(with card: String, disturbed: Bool) async throws {
    let (session, log) = try await setup.present(card)
    let ending = Ending(log)
    var approved: UInt16?
    var hasPaid = !disturbed
    for _ in 0..<(disturbed ? Self.tapsPerPayment : 1) where approved == nil && !ending.isKnown {
      switch try await tap(disturbed) {
      case .approved(let counter): approved = counter
      case .torn: break
      // A card that has given its last response has paid and leaves, whether the response arrived or not.
      case .noCard, .refused: hasPaid = true
      }
    }
    if approved == nil { await session.cancel() }
    let names = try await within(Self.limit, "the card's last event") { await ending.names() }
    try await within(Self.limit, "the end of the session") { await session.finished() }
    let last = names.filter(\.isTerminalEvent)
    hasPaid = hasPaid || approved != nil
    // A tap that is deselected after the cryptogram ends its session: the field was not lost.
    let isTorn = approved == nil && last == ["errorEncountered(furtherUseRefused)"]
    guard last == ["transactionCompleted"] || isTorn || !hasPaid && last == ["errorEncountered(cancelled)"] else {
      throw SoakFailure("counter \(approved ?? 0) at the terminal, and the card told \(names)\(ending.reason)")
    }
    let counter = try setup.checkedCounter(of: card)
    if let approved, approved != counter { throw SoakFailure("counter \(approved) paid, not \(counter ?? 0)") }
    guard disturbed || approved != nil else { throw SoakFailure("a tap without any fault failed") }
  }

  /// Taps once, under faults of its own.
  private mutating func tap(_ disturbed: Bool) async throws -> SoakSetup.Tap {
    number += 1
    setup.simulator.setFaults(disturbed ? plan : .none)
    let start = ContinuousClock.now
    let result = try await within(Self.limit, "the tap") { [setup] in
      try await DedicatedThread(named: "terminal") { () throws(SoakFailure) in try setup.tap() }.value()
    }
    tally.note(result, frames: setup.simulator.frameCounts.faulty, .now - start)
    return result
  }
}

/// How a session ends; its events are read all the time.
private final class Ending: Sendable {
  private let known = Atomic(false)
  private let told = Mutex("")
  private let task = Mutex<Task<[String], Never>?>(nil)

  init(_ log: LossLog) {
    let reading = Task {
      var names = log.names
      while await log.next() != nil {
        names = log.names
        if case .errorEncountered(let error, _)? = log.last { told.withLock { $0 = ": \(error)" } }
      }
      known.store(true, ordering: .releasing)
      return names
    }
    task.withLock { $0 = reading }
  }

  /// What the session said was wrong.
  var reason: String { told.withLock(\.self) }

  var isKnown: Bool { known.load(ordering: .acquiring) }

  func names() async -> [String] { await task.withLock(\.self)?.value ?? [] }
}

/// Waits for work with a limit; work that is late goes on, and its result is dropped.
private func within<Value: Sendable>(
  _ limit: Duration, _ what: String, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let (ends, end) = AsyncThrowingStream<Value, any Error>.makeStream()
  Task {
    do { end.yield(try await work()) } catch { end.finish(throwing: error) }
  }
  let timer = Task {
    try await Task.sleep(for: limit)
    end.finish(throwing: SoakFailure("\(what) took longer than \(limit)"))
  }
  defer { timer.cancel() }
  for try await value in ends { return value }
  throw SoakFailure("\(what) was cancelled")
}
