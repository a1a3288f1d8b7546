public import Links

/// The readers that a name from a person stands for: one slot, or all slots of one device.
///
/// The choice depends on the name and on the names of the connected readers only, never on the cards in them, so that
/// the same name means the same reader at every tap.
public struct PCSCReaderSelection: Equatable, Sendable {
  /// The full names of the slots in the service's order: at least one.
  public let slots: [String]

  /// The part of the name that all slots share, without the numbers that pcscd gives device and slot: a reader may have
  /// another number after it was plugged in again.
  public var deviceName: String { String(slots[0].deviceName) }

  /// Finds the readers for a name.
  ///
  /// ```
  /// a full name                                 -> that reader
  /// a part of the name of one reader            -> that reader
  /// a part of the names of slots of one device  -> these slots; the first one with a card is used
  /// a part of the names of several devices      -> an error that lists them
  /// ```
  /// - Parameters:
  ///   - text: A full name, or a part of one in upper or lower case. An empty text is a part of every name.
  ///   - names: The full names of the connected readers, such as those of `PCSCService.readers()`.
  /// - Throws: `LinkError.Code.readerUnavailable` when no reader or several devices have the name.
  public init(matching text: String, among names: [String]) throws(LinkError) {
    if names.contains(text) {
      slots = [text]
      return
    }
    guard !names.isEmpty else {
      throw LinkError(
        .readerUnavailable, "no reader is connected: plug one in, or start a virtual one (vsmartcard-vpcd)")
    }
    let wanted = text.lowercased()
    let candidates = names.distinct.filter { wanted.isEmpty || $0.lowercased().contains(wanted) }
    guard Set(candidates.map(\.deviceName)).count == 1 else {
      let list = (candidates.isEmpty ? names : candidates).map { "\"\($0)\"" }.joined(separator: ", ")
      let fault = candidates.isEmpty ? "no reader is called \"\(text)\"" : "\"\(text)\" could mean several readers"
      throw LinkError(.readerUnavailable, "\(fault): give a part of the name that only one has, of \(list)")
    }
    slots = candidates
  }
}

extension [String] {
  /// Each name once, in their order. pcscd gives two readers the same name when its configuration does, and every call
  /// with that name reaches the first of them.
  package var distinct: [String] {
    reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}

extension String {
  /// The part of a reader's name that all slots of one device share. pcscd ends a name with the number of the device
  /// and the number of the slot, each as two hexadecimal digits: `Virtual PCD 00 01`.
  fileprivate var deviceName: Substring {
    let words = split(separator: " ", omittingEmptySubsequences: false)
    guard words.count > 2, words.suffix(2).allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isHexDigit) }) else {
      return self[...]
    }
    return dropLast(3)
  }
}
