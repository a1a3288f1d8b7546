import ArgumentParser
import EMVCard
import EMVTerminal
import PaymentAcceptance
import PaymentSimulation
import TapScenarios

/// Latency of the APDU path.
struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Latency of the APDU path: percentiles per command over many taps.",
    discussion: """
      Every tap is a whole payment with a verification, an arming and a reserved use of its own; the times are those \
      from a command's hand-over to the link until its response is back. Exit codes: 0 all taps were approved; 1 otherwise.
      """)

  /// The link that is measured.
  enum Link: String, ExpressibleByArgument, CaseIterable {
    case loopback
  }

  @Option(help: "The link: card and terminal on two threads of this process.")
  var link = Link.loopback
  @Option(
    help: ArgumentHelp("The card profile; the shipped one when left out.", valueName: "file"), completion: .file())
  var card: String?
  @Option(help: "How many taps: 1 to 10000.")
  var taps = 1_000
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  func validate() throws {
    guard (1...10_000).contains(taps) else { throw ValidationError("--taps \(taps): the range is 1...10000.") }
  }

  func run() async throws {
    do {
      let image = try card.map(Files.card) ?? ShippedCards.demo()
      let percentiles = try await measure(image)
      switch format {
      case .json: try Console.print(json: percentiles)
      case .text: percentiles.table.forEach(Console.print)
      }
    } catch let code as ExitCode {
      throw code
    } catch {
      throw Console.fail("\(error)")
    }
  }

  private static func ending(_ result: PaymentResult) -> String {
    switch result {
    case .success(let receipt):
      receipt.outcome.kind.rawValue + (receipt.outcome.failure.map { ", \($0)" } ?? "")
    case .failure(let failure): failure.description
    }
  }

  private func measure(_ image: CardImage) async throws -> LatencyReport {
    let configuration = try ShippedTerminal.configuration()
    let host = TestIssuerHost(knowing: [image])
    let request = try PaymentOrder(amount: "12.34", currency: "978")
      .request(at: configuration)
    let tap = try await LoopbackPayment(image: image, leastUses: taps)
    let terminal = PaymentAcceptance(configuration: configuration, host: host)
    var report = LatencyReport()
    for number in 1...taps {
      let (result, _) = try await tap.run(request, at: terminal)
      guard result.exitCode == .success else {
        throw FileError(description: "tap \(number) was not approved: \(Self.ending(result))")
      }
      report.add(result.record.exchanges)
      if number % 1_000 == 0 { Console.note("\(number) of \(taps) taps") }
    }
    return report
  }
}
