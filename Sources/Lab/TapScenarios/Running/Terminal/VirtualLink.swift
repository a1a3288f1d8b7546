internal import CardFaults
internal import ContactlessPayment
internal import EMVCard
internal import EMVTerminal
internal import ISO7816
internal import JSON
internal import Links
internal import Octets
internal import PaymentAcceptance
internal import Synchronization
internal import Transcripts

/// A link with a terminal of this process at its other end, for one payment. It serves the card on the thread of the
/// terminal, changes its responses by a plan, and records what the terminal sends and receives.
final class VirtualLink: EmulationLink {
  private let terminal: any TestedTerminal
  private let request: PaymentRequest
  private let equipment: TerminalEquipment
  private let plan: CardFaultPlan
  private let presence: CardPresence
  private let card: TerminalTest.Card
  private let recording: Recording
  private let changes: AppliedChanges
  private let outcome = Mutex<PaymentResult?>(nil)

  init(
    _ terminal: any TestedTerminal, _ request: PaymentRequest, _ equipment: TerminalEquipment,
    _ card: TerminalTest.Card, plan: CardFaultPlan, recording: Recording, _ changes: AppliedChanges
  ) {
    (self.terminal, self.request, self.equipment) = (terminal, request, equipment)
    (self.plan, self.recording, self.changes) = (plan, recording, changes)
    self.card = card
    presence = CardPresence(
      comesBack: card.comesBack, absence: .milliseconds(card.comesBackAfter ?? card.tapsAgainAfter ?? 0))
  }

  /// The result of the payment; nil when the card was never served.
  var result: PaymentResult? { outcome.withLock(\.self) }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    let (clock, presence) = (equipment.clock, presence)
    if card.isExpired { clock.advance(by: SessionLimits.expiring.verificationValidity + .milliseconds(1)) }
    var ports = FaultPorts(
      sleep: { clock.advance(by: $0) }, leave: { presence.leave() }, report: { [changes] in changes.note($0) })
    ports.octetsBeforeRemoval = card.leavesAfterOctets
    let injector = FaultInjector(consume responder, plan: plan, ports: ports)
    let recorder = RecordingResponder(injector, clock: clock, recording: recording)
    var field = VirtualField(recorder, clock: clock, presence: presence)
    let result = terminal.pay(request, equipment, at: &field)
    guard let card = field.end() else { preconditionFailure("a field returns its card after each visit") }
    responder = card.release().release()
    outcome.withLock { $0 = result }
  }

  // A card that can only refuse stays, however often it has refused: its holder does nothing. A card that is tapped again
  // comes when its payment is over.
  func stop() { if card.isVerified, card.tapsAgainAfter == nil { presence.stop() } }
}

extension TerminalTest.Card {
  /// The changes of the responses and the removal of the card as one plan.
  func wirePlan() throws(CardProfileError) -> CardFaultPlan {
    let base = if let plan { plan } else { try CardFaultPlan(json: []) }
    guard let leavesAfter else { return base }
    return try base.adding([
      ["when": ["exchange": JSONValue(leavesAfter)], "what": ["kind": "link-lost"], "times": 1]
    ])
  }
}
