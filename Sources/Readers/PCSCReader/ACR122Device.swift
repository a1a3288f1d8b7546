public import Links
internal import Synchronization

/// A reader of the ACR122 family: a PN532 behind the escape commands of a PC/SC driver, so that it can be a card too.
/// Claimed for this program, with its own search for cards switched off until the device is let go of. One role at a
/// time. That the reader gives up its chip after 5 s, and how often the chip tries, stays as it is until power goes.
///
/// The CCID driver has escape commands switched off as it comes: set the bit 0x0001 of `ifdDriverOptions` in
/// /etc/libccid_Info.plist.
public final class ACR122Device: Sendable {
  /// The longest command to a card, in octets: the reader takes 255 at a time, D4, code and target number included.
  public static let maximumCommandCount = ACR122Frame.maximumCommandCount - 2
  /// The longest response of a card that this reader plays, with its status word, in octets: 255 without D4 and code.
  public static let maximumResponseCount = ACR122Frame.maximumCommandCount - 1

  /// The reader's full PC/SC name.
  public let reader: String
  private let conversation: Conversation<ACR122Session>
  /// The answer that was waited for last.
  private let awaited = Mutex<Outcome<[UInt8]>?>(nil)

  /// Connects to a reader and makes sure that there is a PN532 in it. Blocks.
  ///
  /// - Parameters:
  ///   - reader: The full name; see `PCSCService.reader(matching:)`.
  ///   - patience: How long to wait while another program uses the reader.
  /// - Throws: `LinkError`: `.busy` when it still does then; `.readerUnavailable`, also when the driver refuses escape
  ///   commands; `.serviceUnavailable`.
  public init(reader: String, patience: Duration = .seconds(5)) throws(LinkError) {
    (conversation, _) = try Conversation.begin(with: reader, on: "acr122", patience: patience)
    self.reader = reader
  }

  /// As `close()`, and waits for at most 1 s.
  deinit { conversation.end(patience: .seconds(1)) }

  /// Ends either role and puts the reader back into its old ways. May be called any number of times, from any thread.
  ///
  /// A call of the driver that waits for a terminal ends first, within 5 s with an ACR122U and 3 s under libccid. One
  /// that does not end within `patience` is left behind; the reader is then put back when it does, if the program
  /// still runs.
  public func close(patience: Duration = .seconds(7)) {
    conversation.end(patience: patience)
  }

  /// Has the chip run a command.
  ///
  /// - Parameters:
  ///   - command: Its code and its parameters.
  ///   - limit: How long to wait; nil is for as long as the reader and its driver do.
  /// - Throws: `LinkError`: `.timedOut` when they wait no longer.
  func run(_ command: [UInt8], within limit: Duration? = ACR122Device.patience) throws(LinkError) -> [UInt8] {
    let answer = conversation.ask(command)
    awaited.withLock { $0 = answer }
    return try answer.value(
      within: limit, else: LinkError(.timedOut, "reader \"\(reader)\" did not answer in time"))
  }

  /// Ends the wait for the chip in another thread, though not the chip's own.
  public func interrupt() {
    awaited.withLock { $0 }?.settle(.failure(LinkError(.stopped, "the card was taken off the reader")))
  }

  /// Ends either role and switches the field off, as soon as the reader is free; nobody waits for that.
  public func release() {
    for command in Self.farewell { _ = conversation.ask(command) }
  }

  /// InRelease, field off, and SetParameters as after power-up.
  static let farewell: [[UInt8]] = [[0x52, 0x00], [0x32, 0x01, 0x00], [0x12, 0x14]]

  /// How long a command may take that waits for nobody: longer than the reader itself waits for its chip.
  static let patience = Duration.seconds(8)
}
