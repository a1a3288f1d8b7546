internal import Documents
public import EMVData
internal import JSON

/// Terminal action codes, laid out as tag 95 (EMV 4.4 Book 3, 10.7).
public struct TerminalActionCodes: Hashable, Sendable {
  /// Any of these bits denies the payment.
  public var denial = TerminalVerificationResults()
  /// Any of these bits asks for the host.
  public var online = TerminalVerificationResults()
  /// Any of these bits denies the payment in a terminal without a host.
  public var fallback = TerminalVerificationResults()
}

// The key `actionCodes` of a kernel's settings.
extension TerminalActionCodes {
  private static let name = "actionCodes"

  /// - Parameter tags: The start of the help: the tags that hold the codes.
  static func key(tags: String) -> ProfileKey {
    ProfileKey(
      name,
      .object(
        ["denial", "online", "default"].map {
          ProfileKey($0, .octets, isRequired: true, range: 5...5, help: "Terminal action codes, laid out as tag 95.")
        }),
      help: """
        \(tags), all zero when left out. `online` decides between a host and an offline approval, \
        `default` in a terminal without a host.
        """)
  }

  /// Reads the key; all zero when it is left out.
  init(reading settings: inout ObjectReader) {
    func results(_ codes: inout ObjectReader, _ key: String) -> TerminalVerificationResults {
      TerminalVerificationResults(octets: codes.octets(key, count: 5)) ?? []
    }
    self =
      settings.optionalObject(Self.name) { codes in
        TerminalActionCodes(
          denial: results(&codes, "denial"), online: results(&codes, "online"), fallback: results(&codes, "default"))
      } ?? TerminalActionCodes()
  }
}
