import ArgumentParser
import CardLinks

extension LinkKind {
  /// All kinds on which `tap present` puts a card, in the order of the help.
  static let all: [LinkKind] = [.acr122, .loopback, .nfc, .vpcd]

  private static let nfc = LinkKind.nfc { Console.note($0) }
}

/// LINK: where a card is presented.
struct LinkName: ExpressibleByArgument, Sendable {
  private let link: NamedLink

  init?(argument: String) {
    guard let link = NamedLink(argument, among: LinkKind.all) else { return nil }
    self.link = link
  }

  static var allValueStrings: [String] { LinkKind.all.map(\.form) }

  /// Opens the device on a thread of its own.
  func open() async throws -> LinkDevice { try await link.open() }
}
