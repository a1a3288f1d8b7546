public import ArgumentParser
package import DeviceLink
package import ProcessGuard

/// What a program must be to use keys, and what it does when it is not.
package struct IntegrityOptions: ParsableArguments, Sendable {
  /// Whether the owner of the program's folder is not trusted.
  @Flag(
    help: """
      Refuse to use keys in a program whose folder another user than root can write; without it, the owner of the folder \
      is trusted.
      """)
  package var refuseOwnerFolder = false
  /// What a sign of tampering does; nil when the option was left out.
  @Option(
    help: """
      What a sign of tampering does: error refuses the operation with the reason; silence and crash end the program without \
      one, after its secrets were erased. \(TamperingReaction.error.rawValue) when left out.
      """)
  package var onTampering: TamperingReaction?
  /// The refused surroundings; nil when the option was left out.
  @Option(
    help: ArgumentHelp(
      """
      Refuse to use keys in these surroundings: emulator, container, root, with commas between; none refuses no \
      surroundings, whatever is stored or configured.
      """, valueName: "list"))
  package var refuse: SurroundingList?

  /// Creates options that are not set.
  package init() {}

  /// The checks of this process with these options.
  package var checks: ProcessIntegrity {
    ProcessIntegrity(
      refusesOwnerFolder: refuseOwnerFolder, refused: Set(refuse?.members ?? []), reaction: onTampering ?? .error)
  }

  /// The option that was set, with its dashes; nil when none was.
  package var named: String? {
    if refuseOwnerFolder { return "--refuse-owner-folder" }
    if onTampering != nil { return "--on-tampering" }
    return refuse == nil ? nil : "--refuse"
  }
}

extension TamperingReaction: ExpressibleByArgument {}

/// Surroundings as the value of an option.
package struct SurroundingList: ExpressibleByArgument, Equatable, Sendable {
  /// Empty for the word `none`.
  package let members: [Surrounding]

  private static let none = "none"

  /// Reads words with commas between, or `none`; nil when one is unknown.
  package init?(argument: String) {
    guard argument != Self.none else {
      members = []
      return
    }
    let words = argument.split(separator: ",", omittingEmptySubsequences: false)
    members = words.compactMap { Surrounding(rawValue: String($0)) }
    guard members.count == words.count else { return nil }
  }

  /// The words, which completions offer one by one.
  package static var allValueStrings: [String] { Surrounding.allCases.map(\.rawValue) + [none] }
}
