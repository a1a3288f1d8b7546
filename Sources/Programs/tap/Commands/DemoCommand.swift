import ProgramSupport
import Transcripts
import ArgumentParser
import EMVCard
import EMVTerminal
import PaymentAcceptance
import PaymentPrograms
import PaymentSimulation

/// One payment, card and terminal in one process, explained exchange by exchange.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "One payment, card and terminal in one process, explained exchange by exchange.",
    help: CommandHelp(
      examples: [
        "tap demo": "Pay with the shipped test card.",
        "tap demo --card card.json --verbose": "Pay with a card of your own, and show every byte in words.",
      ],
      exits: [
        .done: "approved",
        .notRight: "not approved, or a profile with problems",
        .error: "a file cannot be read",
      ],
      related: ["tap-accept", "tap-present"]))

  @Option(
    help: ArgumentHelp("The card profile; a shipped Visa card when left out.", valueName: "file"),
    completion: FileCompletion.card)
  var card: String?
  @OptionGroup var verbosity: Verbosity
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  func run() async throws {
    try await Console.reportingErrors(as: format) { try await demonstrate() }
  }

  private func demonstrate() async throws {
    let image = try card.map(CardFiles.card) ?? ShippedCards.demo()
    let terminal = PaymentAcceptance(
      configuration: try ShippedTerminal.forEveryCard(), host: TestIssuerHost(knowing: [image]))
    let request = try PaymentOrder(amount: "12.34", currency: "978")
      .request(at: terminal.configuration)
    let (result, arming) = try await LoopbackPayment(image: image).run(request, at: terminal)
    try show(result, request, image, arming: arming)
    guard result.exit == .done else { throw result.exit.code }
  }

  private func show(
    _ result: PaymentResult, _ request: PaymentRequest, _ image: CardImage, arming: Duration
  ) throws {
    let disclosure = try Disclosure(showsAll: false)
    let mask = disclosure.mask(of: result.record.transcript)
    switch format {
    case .json: try Console.print(json: JSONObject(result, request, disclosure), hiding: mask)
    case .text:
      let text = DemoText(
        result: result, request: request, image: image, arming: arming, disclosure: disclosure)
      guard verbosity.verbose || verbosity.quiet else { return text.lines.map(mask.masked).forEach(Console.print) }
      Console.print(text.verdict)
      if verbosity.verbose {
        TapText(verbosity: verbosity, disclosure: disclosure).lines(result, request).map(mask.masked).forEach(
          Console.print)
      }
    }
  }
}
