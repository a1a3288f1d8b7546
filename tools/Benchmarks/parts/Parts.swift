import Foundation
import InstructionCounting
import MeasuredSession
import Octets

/// Measures the commands of a whole payment, and compares its parts with plain C: the cryptogram with the bare primitives
/// that it needs, the walk through data objects, and the values of a list of data objects. Fails when a part takes more
/// instructions than its limit; times never fail.
@main
struct Parts {
  static let countingArgument = "--count"
  /// The payments that are counted. The counts are those of the whole process, in which a session works beside its card;
  /// the least count is that of the card.
  static let countedPayments = 6
  static let timedPayments = 300
  static let repetitions = [1_000, 3_000]

  // WORKAROUND: valgrind 3.19 ends a program whose main function is asynchronous. So this one waits on a semaphore.
  static func main() {
    let ended = DispatchSemaphore(value: 0)
    Task.detached {
      do {
        try await run()
      } catch {
        print("FAILED: \(error)")
        exit(EXIT_FAILURE)
      }
      ended.signal()
    }
    ended.wait()
  }

  private static func run() async throws {
    let image = try MeasuredSession.image("mastercard-cvn16")
    let (walk, list) = (DataObjectWalk(image), ValueList(image))
    guard walk.walk(times: 1) == walk.plainWalk(times: 1), walk.walk(times: 1) > 0,
      list.build(times: 1) == list.plainBuild(times: 1), list.build(times: 1) > 0
    else {
      print("FAILED: Swift and C disagree")
      exit(EXIT_FAILURE)
    }
    BareCryptogram.prepare()
    if CommandLine.arguments.contains(countingArgument) {
      for number in 0..<countedPayments {
        try await MeasuredSession.serve(image, on: PaymentLink(counting: number))
        let counter = InstructionCounter("bare 0 \(number)")
        _ = BareCryptogram.compute()
        counter.dump()
        PaymentLink.countNothing(number)
      }
      count("walk 0", walk.walk)
      count("walk 1", walk.plainWalk)
      count("list 0", list.build)
      count("list 1", list.plainBuild)
      return
    }
    var table = PartsTable()
    for payment in 0...timedPayments {
      let link = PaymentLink()
      try await MeasuredSession.serve(image, on: link)
      // The first payment warms up.
      if payment > 0 { table.add(link.times, bare: nanoseconds { _ = BareCryptogram.compute() }) }
    }
    table.print()
    let counts = try PartsCounts.measure()
    counts.print(walked: walk.count, listed: list.count)
    guard counts.excesses.isEmpty else {
      for excess in counts.excesses { print("FAILED: \(excess)") }
      exit(EXIT_FAILURE)
    }
  }

  /// Counts repetitions; the difference of two counts is free of what happens once.
  private static func count(_ name: String, _ body: (Int) -> Int) {
    for times in repetitions {
      let counter = InstructionCounter("\(name) \(times)")
      _ = body(times)
      counter.dump()
    }
  }

  private static func nanoseconds(_ body: () -> Void) -> UInt64 {
    let clock = SystemClock()
    let begun = clock.now.nanoseconds
    body()
    return UInt64(clock.now.nanoseconds - begun)
  }
}
