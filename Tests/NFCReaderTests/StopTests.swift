import Foundation
import Links
import NFCReader
import Octets
import ReaderSimulator
import Synchronization
import TestSupport
import Testing

extension LibNFCTests {
  /// A card is stopped at random moments, many times, on a loaded machine.
  struct StopTests {
    /// `tools/test --soak` runs 1000.
    static let cycles = Soak.isOn ? 1_000 : 15
    static let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]

    /// What the card is most likely doing when it is stopped.
    enum Occupation: CaseIterable, Sendable {
      /// It is about to begin.
      case beginning
      /// It waits for a terminal.
      case waiting
      /// It is selected and waits for a command.
      case selected
      /// It answers commands without a pause.
      case answering
      /// It computes a response.
      case computing

      var longestDelay: UInt32 { self == .beginning ? 2_000 : 60_000 }
    }

    @Test(arguments: Occupation.allCases)
    func `a stopped card leaves within 10 s in every state`(occupation: Occupation) throws {
      let chips = try SimulatedChips(.pair, timing: FieldTiming(waitingTimeDivisor: 16))
      let device = try chips.open(1)
      let isOver = Flag()
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

    @Test func `aborts leave no descriptor open in tap-nfc`() throws {
      let chips = try SimulatedChips(.pair)
      let device = try chips.open(1)
      var counts: [Int] = []
      for _ in 0..<80 {
        let link = NFCLink(device)
        let thread = serving(link, ChannelContract.responder())
        usleep(20_000)
        link.stop()
        try thread.join()
        let process = try #require(ChildProcesses.processes().first)
        counts.append(try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count)
      }
      // An abort in progress uses further descriptors.
      #expect((counts.max() ?? 0) <= counts[0] + 2, "\(counts)")
    }

    /// A terminal that selects the card repeatedly, and except for `.selected` sends commands until the card leaves.
    private func tapping(
      _ occupation: Occupation, _ chips: SimulatedChips, until isOver: Flag
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

    private func busy(until isOver: Flag) -> DedicatedThread<Void, Never> {
      DedicatedThread(named: "load") { while !isOver.isRaised {} }
    }
  }
}
