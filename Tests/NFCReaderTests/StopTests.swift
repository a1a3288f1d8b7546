import Foundation
import Links
import NFCReader
import Octets
import ReaderSimulator
import Synchronization
import TestSupport
import Testing

extension LibNFCTests {
  /// A card that is taken off its chip at any moment, again and again, while the machine is busy.
  struct StopTests {
    /// `tools/test --soak` asks for many.
    static let cycles = ProcessInfo.processInfo.environment["CONTACTLESS_SOAK"] != nil ? 1_000 : 40
    static let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]

    /// What the card is mostly at when it is stopped.
    enum Occupation: CaseIterable, Sendable {
      /// About to begin.
      case beginning
      /// Waiting for a terminal.
      case waiting
      /// Selected, and waiting for a command.
      case selected
      /// Getting commands and answering, as fast as it can.
      case answering
      /// Computing.
      case computing

      var longestDelay: UInt32 { self == .beginning ? 2_000 : 60_000 }
    }

    @Test(arguments: Occupation.allCases)
    func `a card that is stopped leaves within seconds, whatever it is at`(occupation: Occupation) throws {
      let chips = try SimulatedChips(.pair, timing: FieldTiming(waitingTimeDivisor: 16))
      let device = try chips.open(1)
      let isOver = OneFlag()
      let load = (0..<2).map { _ in busy(until: isOver) }
      let terminal = [.beginning, .waiting].contains(occupation) ? nil : try tapping(occupation, chips, until: isOver)
      defer {
        isOver.raise()
        for thread in load { thread.join() }
        terminal?.join()
      }
      var random = SplitMix64(seed: 40)
      var slowest = Duration.zero
      for cycle in 0..<Self.cycles {
        let link = NFCLink(device)
        let pace = occupation == .computing ? ScriptedResponder.Pace.slow(.milliseconds(5)) : .prompt
        let thread = serving(link, ChannelContract.responder(pace: pace))
        let delay = UInt32.random(in: 0...occupation.longestDelay, using: &random)
        usleep(delay)
        let start = ContinuousClock.now
        link.stop()
        let ended: Void? = try thread.join(timeout: .seconds(20))
        try #require(ended != nil, "\(occupation), cycle \(cycle), stopped after \(delay) us")
        slowest = max(slowest, .now - start)
      }
      #expect(slowest < .seconds(10))
    }

    @Test func `aborts leave no descriptor behind in libnfc's process`() throws {
      let chips = try SimulatedChips(.pair)
      let device = try chips.open(1)
      var counts: [Int] = []
      for _ in 0..<80 {
        let link = NFCLink(device)
        let thread = serving(link, ChannelContract.responder())
        usleep(20_000)
        link.stop()
        try thread.join()
        let process = try #require(Possessions.processes().first)
        counts.append(try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count)
      }
      // An abort under way has one more for a moment.
      #expect((counts.max() ?? 0) <= counts[0] + 2, "\(counts)")
    }

    /// A terminal that selects the card again and again; unless it only does that, it sends commands until it is left.
    private func tapping(
      _ occupation: Occupation, _ chips: SimulatedChips, until isOver: OneFlag
    ) throws -> DedicatedThread<Void, Never> {
      let device = try chips.open()
      return DedicatedThread(named: "terminal") {
        while !isOver.isRaised {
          _ = linkError { () throws(LinkError) in
            var channel = try device.channel(timeout: .milliseconds(200), responseTimeout: .seconds(1))
            if occupation == .selected { usleep(20_000) }
            while occupation != .selected, !isOver.isRaised { _ = try channel.send(Self.selection) }
          }
        }
      }
    }

    private func busy(until isOver: OneFlag) -> DedicatedThread<Void, Never> {
      DedicatedThread(named: "load") { while !isOver.isRaised {} }
    }
  }
}

private final class OneFlag: Sendable {
  private let flag = Atomic(false)

  var isRaised: Bool { flag.load(ordering: .acquiring) }

  func raise() { flag.store(true, ordering: .releasing) }
}
