public import Links
#if PCSC
  internal import Octets
#endif

/// The PC/SC service: the connected readers, and the readers that a name stands for.
///
/// These calls, `PCSCChannel`, `PCSCMonitor` and the types for an ACR122 exist in every build. In a build without the
/// trait `PCSC` each of them throws `LinkError.Code.serviceUnavailable`.
public enum PCSCService {
  /// All readers, with the cards that are in them at this moment. Blocks.
  ///
  /// - Throws: `LinkError.Code.serviceUnavailable` when pcscd does not run.
  public static func readers() throws(LinkError) -> [PCSCReaderStatus] {
    #if PCSC
      return try Result { () throws(PCSCError) in try PCSCContext().readers() }.mapError { $0.linkError() }.get()
    #else
      throw LinkError.builtWithoutPCSC
    #endif
  }

  /// The connected readers that a name from a person stands for. Blocks.
  ///
  /// - Throws: `LinkError`: `.readerUnavailable` when no reader or several devices have the name, or the driver cannot
  ///   communicate with the reader; `.serviceUnavailable`.
  public static func readers(matching text: String) throws(LinkError) -> PCSCReaderSelection {
    let readers = try readers()
    let selection = try PCSCReaderSelection(matching: text, among: readers.map(\.name))
    let responsive = readers.filter { !$0.isUnresponsive }.map(\.name)
    guard selection.slots.contains(where: { responsive.contains($0) }) else {
      throw .unresponsive(selection.slots[0])
    }
    return selection
  }

  /// Fails when the driver cannot communicate with a reader any more. A reader that is not connected passes.
  static func checkResponse(of reader: String) throws(LinkError) {
    let isUnresponsive = try readers().contains { $0.name == reader && $0.isUnresponsive }
    if isUnresponsive { throw .unresponsive(reader) }
  }

  /// The only connected slot that a name from a person stands for. Blocks.
  ///
  /// - Throws: `LinkError`: `.readerUnavailable` when no slot or several slots have the name, `.serviceUnavailable`.
  public static func reader(matching text: String) throws(LinkError) -> String {
    let selection = try readers(matching: text)
    guard let only = selection.slots.first, selection.slots.count == 1 else {
      let list = selection.slots.map { "\"\($0)\"" }.joined(separator: ", ")
      throw LinkError(.readerUnavailable, "\"\(text)\" could mean several slots of one reader: name one of \(list)")
    }
    return only
  }

  /// Waits for a card in one of the slots of a selection. Blocks.
  ///
  /// - Parameters:
  ///   - selection: The slots. When several hold a card already, the first of them in the service's order is used.
  ///   - timeout: How long to wait.
  /// - Returns: The full name of the slot with the card.
  /// - Throws: `LinkError`: `.timedOut` without a card, `.readerUnavailable` when all slots are unplugged,
  ///   `.serviceUnavailable`.
  public static func waitForCard(
    in selection: PCSCReaderSelection, timeout: Duration
  ) throws(LinkError) -> String {
    try PCSCMonitor().waitForCard(inOneOf: selection.slots, timeout: timeout).reader
  }
}
