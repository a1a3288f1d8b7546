public import ContactlessPayment
public import EMVCard
public import ISO7816
public import Links
public import Octets

/// A card that is presented unarmed on purpose. It refuses every payment, and stops the link once a terminal that it
/// refused has left.
public struct RefusingCard: CommandResponder, ~Copyable {
  private var card: UnarmedCard
  private let hasApplications: Bool
  private let link: any EmulationLink
  /// How often GET PROCESSING OPTIONS was refused; without an active card, how often any command was.
  public private(set) var refusals = 0

  /// Creates the card.
  ///
  /// - Parameters:
  ///   - digitalCard: The card whose applications are shown; nil for a wallet without a card.
  ///   - link: The link that serves this card.
  public init(_ digitalCard: DigitalCard?, link: any EmulationLink) {
    card = UnarmedCard(digitalCard)
    hasApplications = digitalCard?.state == .active
    self.link = link
  }

  /// Answers a command as an unarmed card does.
  public mutating func respond(
    to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan
  ) -> Int {
    let count = card.respond(to: command, at: instant, into: &response)
    let isLast = !hasApplications || command.count > 1 && command[1] == Instruction.getProcessingOptions
    if isLast, count == 2 { refusals += 1 }
    return count
  }

  /// Stops the link when the field of a terminal that was refused goes away.
  public mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    card.fieldChanged(event, at: instant)
    if event != .powered, refusals > 0 { link.stop() }
  }
}

extension RefusingCard {
  /// Presents a card unarmed on a link, on a thread of its own, until the link ends.
  ///
  /// - Parameter digitalCard: The card whose applications are shown; nil for a wallet without a card.
  /// - Returns: The thread. Its value is the number of refusals.
  public static func present(
    _ digitalCard: DigitalCard?, on link: any EmulationLink
  ) -> DedicatedThread<Int, LinkError> {
    DedicatedThread(named: "card") { () throws(LinkError) -> Int in
      var card = RefusingCard(digitalCard, link: link)
      try link.serve(&card)
      return card.refusals
    }
  }
}

extension DigitalCard {
  /// Creates an active card that is in no wallet, so that its applications can be shown.
  public init(shown image: CardImage) {
    self.init(id: image.name, image: image, state: .active, isDefault: true)
  }
}
