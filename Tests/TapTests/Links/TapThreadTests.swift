import EMVCard
import EMVTerminal
import Fixtures
import Foundation
import PaymentAcceptance
import PaymentSimulation
import Synchronization
import TapScenarios
import TestSupport
import Testing
import Transcripts

/// The threads of taps in one process. A change of threads in each tap would cost more time than the tap.
@Suite("Threads of repeated taps", .timeLimit(.minutes(20)))
struct TapThreadTests {
  private final class Threads: Sendable {
    private let noted = Mutex<[SystemThread]>([])
    var all: [SystemThread] { noted.withLock { $0 } }

    func note() { noted.withLock { $0.append(.present) } }
  }

  /// The place of `tap test --reader loopback`; notes the threads that drive its cards.
  private struct WatchedPlace: PaymentPlace {
    let base: LoopbackPlace
    let threads: Threads

    var isAttended: Bool { base.isAttended }
    var recording: Transcript? { base.recording }
    var executor: (any TaskExecutor)? { base.executor }
    func host() -> any AuthorizationHost { WatchedHost(base: base.host(), threads: threads) }

    func take(_ request: PaymentRequest, at terminal: PaymentAcceptance) async throws -> PaymentReceipt {
      let result = try await base.take(request, at: terminal)
      threads.note()
      return result
    }
  }

  private struct ThreadObserver: ScenarioObserver {
    let threads: Threads

    func observe(_ run: ScenarioRun, _ series: ScenarioSeries, _ index: Int, _ payment: PaymentResult?) {
      threads.note()
    }
  }

  private struct WatchedHost: AuthorizationHost {
    let base: any AuthorizationHost
    let threads: Threads

    func authorize(_ request: AuthorizationRequest) -> AuthorizationResponse {
      threads.note()
      return base.authorize(request)
    }
  }

  @Test func `a hundred taps of a scenario, their hosts and their checks share one thread`() async throws {
    let card = try CardImage(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    let file = try ScenarioFile(
      Fixtures.url("Scenarios/visa-low-value.yaml").path,
      terminal: [UInt8](Fixtures.data("Terminals/attended-eur.json")))
    let threads = Threads()
    let runner = ScenarioRunner(
      .cards(payments: { _, taps in
        WatchedPlace(base: try await LoopbackPlace(image: card, payments: taps), threads: threads)
      }), observer: ThreadObserver(threads: threads))
    let series = await runner.run([(file, 100)])
    #expect(series.count("passed") == 100, "\(series)")
    // Each tap is noted by its host, after its payment and after its check.
    #expect(threads.all.count == 300)
    #expect(Set(threads.all).map(\.name) == ["payment"])
  }
}
