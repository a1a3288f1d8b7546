import EMVCard
import EMVTerminal
import Foundation
import MeasuredSession
import PaymentAcceptance
import TapLatency

/// The times of every command, of a whole tap and of the work around it, as percentiles. Times never fail.
@main
struct Latency {
  /// The commands of the cards: GENERATE AC with relay resistance, COMPUTE CRYPTOGRAPHIC CHECKSUM, and the cryptogram of
  /// GET PROCESSING OPTIONS.
  static let cards = ["mastercard-cvn21", "mastercard-magstripe", "visa-cvn18"]
  static let taps = 2_000

  static func main() async throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../Fixtures/Terminals/attended-eur.json")
    let terminal = try TerminalConfiguration(json: [UInt8](Data(contentsOf: file)))
    let request = try PaymentOrder(amount: "12.34", currency: "978").request(at: terminal)
    for name in cards {
      let image = try MeasuredSession.image(name)
      print("\(name), card and terminal on one thread; the command that spends the use once in each payment")
      let result = try await TapBenchmark(image, over: .direct, taps: taps, warmUp: 100).run(request, at: terminal)
      result.report.table().forEach { print($0) }
      print("")
    }
    print(Samples.heading)
    for samples in try Work.parts() { print(samples.line) }
    for samples in try await Work.payments(request, at: terminal, count: taps) { print(samples.line) }
  }
}
