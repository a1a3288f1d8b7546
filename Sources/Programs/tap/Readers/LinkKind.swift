import ArgumentParser
import ProgramSupport
import ReaderKinds

/// LINK: where a card is presented.
struct LinkName: ExpressibleByArgument, Sendable {
  private static let kinds = (LinkKind.all + [.loopback]).sorted { $0.prefix < $1.prefix }
  private let link: NamedLink
  /// The word before the colon.
  let prefix: String

  init?(argument: String) {
    guard let link = NamedLink(argument, among: Self.kinds) else { return nil }
    self.link = link
    prefix = argument.split(separator: ":").first.map(String.init) ?? argument
  }

  /// Whether the terminal is in this process.
  var isLoopback: Bool { prefix == LinkKind.loopback.prefix }

  /// Whether the card is presented by a chip, to any terminal that comes near it, and not to a program.
  var isInTheAir: Bool { ![LinkKind.loopback.prefix, LinkKind.vpcd.prefix].contains(prefix) }

  static var allValueStrings: [String] { kinds.map(\.form) }

  /// Opens the device on a thread of its own.
  func open() async throws -> LinkDevice { try await link.open { Console.note($0) }.restoredAtInterrupt() }
}
