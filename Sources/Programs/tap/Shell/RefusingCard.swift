import ContactlessPayment
import ISO7816
import Links
import Octets

/// A card that is presented unarmed on purpose: it leaves the link once a terminal that it refused has gone.
struct RefusingCard: CommandResponder, ~Copyable {
  private var card: UnarmedCard
  private let hasApplications: Bool
  private let link: any EmulationLink
  /// How many times GET PROCESSING OPTIONS was refused, or, of a wallet without a card to show, any command.
  private(set) var refusals = 0

  init(_ digitalCard: DigitalCard?, link: any EmulationLink) {
    card = UnarmedCard(digitalCard)
    hasApplications = digitalCard?.state == .active
    self.link = link
  }

  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    let count = card.respond(to: command, at: instant, into: &response)
    let isLast = !hasApplications || command.count > 1 && command[1] == Instruction.getProcessingOptions
    if isLast, count == 2 { refusals += 1 }
    return count
  }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    card.fieldChanged(event, at: instant)
    if event != .powered, refusals > 0 { link.stop() }
  }
}
