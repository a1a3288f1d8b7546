public import Links

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
  private let conversation: ACR122Conversation

  /// Connects to a reader and makes sure that there is a PN532 in it. Blocks.
  ///
  /// - Parameters:
  ///   - reader: The full name; see `PCSCService.reader(matching:)`.
  ///   - patience: How long to wait while another program uses the reader.
  /// - Throws: `LinkError`: `.busy` when it still does then; `.readerUnavailable`, also when the driver refuses escape
  ///   commands; `.serviceUnavailable`.
  public init(reader: String, patience: Duration = .seconds(5)) throws(LinkError) {
    conversation = try ACR122Conversation.begin(with: reader, patience: patience)
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
  /// - Throws: `LinkError`: `.timedOut` when the reader and its driver wait no longer.
  func run(_ command: [UInt8]) throws(LinkError) -> [UInt8] {
    try run(ACR122Request(command), timeout: Self.patience)
  }

  /// Has the chip run a command for which somebody else may settle the result.
  func run(_ request: ACR122Request, timeout: Duration?) throws(LinkError) -> [UInt8] {
    conversation.post(request)
    if let data = try request.result(timeout: timeout) { return data }
    let error = LinkError(.timedOut, "reader \"\(reader)\" did not answer in time")
    // Nobody wants it any more, should it not have begun.
    request.settle(.failure(error))
    throw error
  }

  /// Ends either role and switches the field off, as soon as the reader is free; nobody waits for that.
  func release() {
    for command in Self.farewell { conversation.post(ACR122Request(command)) }
  }

  /// InRelease, field off, and SetParameters as after power-up.
  static let farewell: [[UInt8]] = [[0x52, 0x00], [0x32, 0x01, 0x00], [0x12, 0x14]]

  /// How long a command may take that waits for nobody: longer than the reader itself waits for its chip.
  static let patience = Duration.seconds(8)
}
