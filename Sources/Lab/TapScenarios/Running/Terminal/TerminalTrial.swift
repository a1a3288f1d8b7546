internal import ContactlessPayment
internal import EMVData
public import EMVIssuer
internal import EMVTerminal
internal import ISO7816
internal import Links
internal import Octets
internal import PaymentAcceptance
internal import PaymentSimulation
internal import Transcripts

/// The taps of one scenario with a terminal of this process, on a clock that waits advance.
public struct TerminalTrial: Sendable {
  private let file: ScenarioFile
  private let test: TerminalTest
  private let card: TestCard
  private let terminal: any TestedTerminal
  private let wallet: Wallet
  private let host: any AuthorizationHost
  private let configuration: TerminalConfiguration
  private let amounts: [String]
  private let configured: [Tag: [[UInt8]]]
  private let clock = ManualClock()

  /// Provisions the card in a wallet in memory.
  ///
  /// - Parameters:
  ///   - file: The scenario.
  ///   - terminal: The terminal that is judged.
  ///   - taps: The number of taps.
  ///   - keys: The keys of the issuer.
  ///   - capabilities: Those of the terminal; nil for those of the scenario's terminal profile.
  /// - Throws: `ScenarioNotApplicable` for an amount that the terminal cannot have, `ScenarioFileError` for a scenario
  ///   that judges a card, and the wallet's error.
  public init(
    _ file: ScenarioFile, of terminal: any TestedTerminal = OwnTerminal(), taps: Int, keys: IssuerKeys = .publicTest,
    capabilities: TestedCapabilities? = nil
  ) async throws {
    guard let test = file.scenario.terminalTest, let card = file.testCard else {
      throw ScenarioFileError("\(file.path): the scenario judges a card: use --reader")
    }
    (self.file, self.test, self.card, self.terminal) = (file, test, card, terminal)
    configuration = file.terminal.configuration
    let known = capabilities ?? file.terminal.capabilities
    amounts = try file.amounts(at: known)
    configured = try file.configuredValues(at: known)
    host = TestIssuerHost(knowing: [card.image], keys: keys)
    // One further use for a payment whose card leaves after a cryptogram.
    wallet = try await ProvisionedWallet(
      card: card.image, policy: test.card.policy, leastUses: 2 * taps, keys: keys, clock: clock
    ).wallet
  }

  /// Makes a tap.
  ///
  /// - Parameter number: The number of the tap, from 1.
  /// - Throws: The session's error when the card could not be presented.
  public func tap(_ number: Int) async throws -> TerminalTap {
    let request = try file.request(at: configuration, moment: nil, amount: amounts[(number - 1) % amounts.count])
    let recording = Recording(role: .card)
    let changes = AppliedChanges()
    let link = try link(request, recording, changes)
    if test.card.isVerified {
      let terms = SessionTerms(limits: test.card.isExpired ? .expiring : .standard)
      _ = try await CardPresentation(wallet: wallet, terms: terms).pay(on: { link })
    } else {
      _ = try await RefusingCard.present(DigitalCard(shown: card.image), on: link).value()
    }
    var tap = TerminalTap(
      recording, entered: request.entered().merging(configured) { $1 }, shown: link.result.flatMap(\.shown))
    tap.missingChanges = changes.missing(of: test.card)
    tap.linkShare = VirtualTime.exchange
    return tap
  }

  private func link(
    _ request: PaymentRequest, _ recording: Recording, _ changes: AppliedChanges
  ) throws -> VirtualLink {
    let equipment = TerminalEquipment(
      configuration: configuration, host: file.scenario.issuer.host(host), clock: clock,
      restarts: RestartLimits(count: file.scenario.restarts, duration: .seconds(60)))
    return VirtualLink(
      terminal, request, equipment, test.card, plan: try test.card.wirePlan(), recording: recording, changes)
  }
}

extension TerminalTap {
  init(_ recording: Recording, entered: [Tag: [[UInt8]]], shown: TerminalExpectations.Shown? = nil) {
    let transcript = recording.transcript
    self.init(exchanges: [Exchange](transcript), entered: entered, shown: shown)
    self.transcript = transcript
  }
}

extension PaymentRequest {
  /// The values that a terminal must send for the payment, by tag.
  ///
  /// - Parameter otherZones: Whether the terminal's date may be that of another time zone: yesterday's or tomorrow's.
  func entered(inOtherZones otherZones: Bool = false) -> [Tag: [[UInt8]]] {
    let currency = (try? [UInt8](hex: "0\(self.currency.numericCode)")) ?? []
    return [
      0x9F02: [amount.numeric], 0x9F03: [amountOther?.numeric ?? [UInt8](repeating: 0, count: 6)], 0x5F2A: [currency],
      0x9A: otherZones ? date.neighbours.map(\.numeric) : [date.numeric], 0x9C: [[type.rawValue]],
    ]
  }
}

extension TransactionDate {
  /// The day before, the day, and the day after.
  fileprivate var neighbours: [TransactionDate] {
    guard let noon = CalendarTime(year: year, month: month, day: day, hour: 12)?.utc else { return [self] }
    return [-86_400, 0, 86_400].compactMap {
      TransactionDate(CalendarTime(utc: WallTime(seconds: noon.seconds + $0)))
    }
  }
}

extension PaymentResult {
  /// What a person sees at the end; nil for anything that the names of `Shown` do not have.
  var shown: TerminalExpectations.Shown? {
    let last = record.messages.last { [.approved, .approvedSign].contains($0.message) || $0.message.endsPayment }
    switch last?.message {
    case .approved?, .approvedSign?: return .approved
    case .notAuthorised?: return .declined
    case .seePhone?: return .seePhone
    case .insertOrSwipe?, .insert?, .tryAnotherCard?: return .otherCard
    default: return nil
    }
  }
}

extension CardholderMessage {
  fileprivate var endsPayment: Bool {
    [.notAuthorised, .seePhone, .insertOrSwipe, .insert, .tryAnotherCard].contains(self)
  }
}
