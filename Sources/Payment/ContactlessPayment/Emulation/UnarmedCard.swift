internal import EMVCard
internal import EMVData
public import ISO7816
public import Octets

/// The card that a wallet presents while no payment is in progress: the directory and the applications of its default
/// card, without a key. It can only refuse, in the way that each kernel expects.
///
/// Owned by the thread of its link.
public struct UnarmedCard: ~Copyable, CommandResponder {
  private var card: Card?

  /// Creates the card.
  ///
  /// - Parameter digitalCard: The card that would pay. Without one, or with one that is not active, every SELECT
  ///   returns `6A82` and any other command `6985`.
  public init(_ digitalCard: DigitalCard?) {
    guard let digitalCard, digitalCard.state == .active else { return }
    card = Card(image: digitalCard.image, directory: digitalCard.soundDirectory)
  }

  /// Answers a command.
  ///
  /// - Returns: The length of the response, at least 2.
  public mutating func respond(
    to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan
  ) -> Int {
    if let count = card?.respond(to: command, at: instant, into: &response) { return count }
    let isSelection = command.count > 1 && command[1] == Instruction.select
    response.put((isSelection ? StatusWord.notFound : .conditionsNotSatisfied).rawValue, at: 0)
    return 2
  }

  /// Receives a field event.
  public mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    card?.fieldChanged(event, at: instant)
  }
}

extension DigitalCard {
  /// The wallet's directory; nil for a directory that the store has damaged.
  fileprivate var soundDirectory: [UInt8]? {
    customDirectory.flatMap { (try? ProximityPaymentSystemEnvironment.check($0)) == nil ? nil : $0 }
  }
}
