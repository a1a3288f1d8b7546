import ProgramSupport
import ReaderKinds

/// The links on which the wallet pays.
enum PayLink {
  /// The terminal in this process.
  static let loopbackName = "loopback"
  /// How each kind of link begins.
  static let forms = [loopbackName, "nfc:", "vpcd:"]

  static func named(_ text: String) -> NamedLink? { NamedLink(text, among: [.nfc, .vpcd]) }

  /// Opens the device of a link.
  static func open(_ text: String) async throws -> LinkDevice {
    guard let link = named(text) else { preconditionFailure("validate() accepts links of these kinds only") }
    return try await link.open { Console.note($0) }
  }
}
