import ISO7816
import Links
import Octets

/// The card as the simulated reader sees it: forwards commands to the card that is armed in the slot. When another card
/// is armed in its place, the terminal's selection is repeated there, so that the terminal goes on with the same card.
struct SlottedCard: CommandResponder, ~Copyable {
  /// How long a command waits until a card is armed.
  private static let armingLimit = Duration.seconds(5)

  let slot: LabSlot
  private var channel: LoopbackChannel?
  private var link: Loopback?
  /// The link whose card was the last one that is no longer armed.
  private var stopped: Loopback?
  /// The last SELECT that was answered with data.
  private var selection: [UInt8]?
  /// How many frames of the reader a reset has.
  private let resetFrames: Int
  /// How many of them are still to come.
  private var awaitedFrames = 0

  /// - Parameter resetFrames: 2 for vpcd, which asks for the answer to reset after it has reset the card.
  init(slot: LabSlot, resetFrames: Int = 0) {
    self.slot = slot
    self.resetFrames = resetFrames
  }

  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    let instruction = command.count > 1 ? command[1] : 0
    slot.commandArrived(instruction)
    while connect() {
      guard let count = transmit(command, into: &response) else { continue }
      // A status word alone is a refusal.
      if instruction == Instruction.select, count > 2 { selection = command.array }
      return count
    }
    response.put(UInt16(0x6F00), at: 0)
    return 2
  }

  /// Opens a channel to the armed card, unless there is one, and repeats the selection.
  ///
  /// - Returns: False when the slot is closed, or no card is armed in time.
  private mutating func connect() -> Bool {
    while channel == nil {
      link = slot.link(after: stopped, within: Self.armingLimit)
      guard let link else { return false }
      do throws(LinkError) {
        channel = try link.connect(timeout: Self.armingLimit)
      } catch {
        stopped = link
        continue
      }
      guard let selection else { return true }
      var answer = [UInt8](repeating: 0, count: ResponseAPDU.maximumCount)
      _ = answer.withMutableOctets { transmit(selection.span, into: &$0) }
    }
    return true
  }

  /// - Returns: Nil when the card is no longer armed.
  private mutating func transmit(_ command: Span<UInt8>, into response: inout MutableRawSpan) -> Int? {
    if let count = try? channel?.transmit(command, into: &response) { return count }
    channel = nil
    stopped = link
    return nil
  }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    guard event != .powered else { return }
    selection = nil
    // A reset ends the visit as well: the next terminal gets a card that is armed for it.
    channel?.close()
    channel = nil
    awaitedFrames = resetFrames
    if awaitedFrames == 0 { slot.visitEnded() }
  }

  /// pcscd never reports that a card has left which leaves between a reset and its answer to reset.
  mutating func responseSent() {
    guard awaitedFrames > 0 else { return }
    awaitedFrames -= 1
    if awaitedFrames == 0 { slot.visitEnded() }
  }
}
