public import Links

/// The reader service as a whole: which readers there are, and which of them a name means.
///
/// These calls, `PCSCChannel`, `PCSCMonitor` and the types for an ACR122 exist in every build. One made without the trait `PCSC` answers each
/// with `LinkError.Code.serviceUnavailable` and says so.
public enum PCSCService {
  /// All readers with the cards in them at this moment.
  ///
  /// - Throws: `LinkError.Code.serviceUnavailable` when pcscd does not run.
  public static func readers() throws(LinkError) -> [PCSCReaderStatus] {
    #if PCSC
      do throws(PCSCError) {
        return try PCSCContext().readers()
      } catch {
        throw error.linkError()
      }
    #else
      throw LinkError.builtWithoutPCSC
    #endif
  }

  /// The reader that a name given by a person means.
  ///
  /// - Parameters:
  ///   - text: The full name, or a part of it in any case that only one reader has. Empty means the only reader.
  ///   - names: The full names to choose from, such as those of `readers()`.
  /// - Throws: `LinkError.Code.readerUnavailable` when there is no such reader, or more than one; the reason lists them.
  public static func reader(matching text: String, among names: [String]) throws(LinkError) -> String {
    if names.contains(text) { return text }
    let wanted = text.lowercased()
    let candidates = names.distinct.filter { wanted.isEmpty || $0.lowercased().contains(wanted) }
    if let only = candidates.first, candidates.count == 1 { return only }
    guard !names.isEmpty else {
      throw LinkError(
        .readerUnavailable, "no reader is connected: plug one in, or start a virtual one (vsmartcard-vpcd)")
    }
    let list = (candidates.isEmpty ? names : candidates).map { "\"\($0)\"" }.joined(separator: ", ")
    let fault = candidates.isEmpty ? "no reader is called \"\(text)\"" : "\"\(text)\" could mean several readers"
    throw LinkError(.readerUnavailable, "\(fault): give a part of the name that only one has, of \(list)")
  }

  /// The reader that a name given by a person means, of those that are connected.
  public static func reader(matching text: String) throws(LinkError) -> String {
    try reader(matching: text, among: readers().map(\.name))
  }
}

extension [String] {
  /// Each name once, in their order. pcscd gives two readers one name when its configuration does, and then every call
  /// means the first of them.
  var distinct: [String] {
    reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}
